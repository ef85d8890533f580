/** The URL of a link that may be drawn: absolute http(s) without a user name that could pose as a host, a mail address or a telephone number. */
export function safeLink(href: string): URL | null {
  if (!/^(https?:\/\/|mailto:|tel:)/i.test(href)) return null;
  try {
    const url = new URL(href);
    return url.username || url.password ? null : url;
  } catch {
    return null;
  }
}
