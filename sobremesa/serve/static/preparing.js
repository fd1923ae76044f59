// Polls until the table is ready (status 202: not yet).
async function ask() {
  const answer = await fetch(location.href, {redirect: "manual"}).catch(() => null);
  if (answer && answer.status !== 202) location.reload();
  else setTimeout(ask, answer ? 250 : 2000);
}

ask();
