// Returns the value of a text: JSON, compressed by zlib, in base64.
async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), one => one.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).json();
}
