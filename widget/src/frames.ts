/** Calls back with the next frame; in a background page, which gets none, soon enough for whoever looks at it. */
export function atNextFrame(draw: () => void): void {
  if (document.hidden) setTimeout(draw, 100);
  else requestAnimationFrame(draw);
}
