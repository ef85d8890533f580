/** The URL of a link that may be drawn: absolute http(s) without a user name that could pose as a host. */
export function safeLink(href: string): URL | null {
  if (!/^https?:\/\//i.test(href)) return null;
  try {
    const url = new URL(href);
    return url.host && !url.username && !url.password ? url : null;
  } catch {
    return null;
  }
}
