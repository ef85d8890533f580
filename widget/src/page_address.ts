const SECRET = /token|secret|password|passwd|auth|session|signature|^(sig|code|key|api_?key|email|otp|state)$/i;

/** The page's address as it may leave the browser: no fragment, no user name, no parameter that reads like a secret. */
export function pageAddress(href: string): string {
  let url: URL;
  try {
    url = new URL(href);
  } catch {
    return "";
  }
  url.hash = url.username = url.password = "";
  for (const name of [...url.searchParams.keys()]) if (SECRET.test(name)) url.searchParams.delete(name);
  return url.href.slice(0, 2000);
}
