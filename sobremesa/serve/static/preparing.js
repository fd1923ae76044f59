// Asks again until what this page waits for is there: 202 says that it is not.
async function ask() {
  const answer = await fetch(location.href, {redirect: "manual"}).catch(() => null);
  if (answer && answer.status !== 202) location.reload();
  else setTimeout(ask, answer ? 250 : 2000);
}

ask();
