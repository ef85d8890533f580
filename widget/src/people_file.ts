import { FILE, INTEGRITY } from "docent:people";
import type { OpenPeople } from "./desk.js";
import { Failure } from "./failure.js";

/** Where the file puts what it has: on the element that loaded it, so that it needs no global name. */
export type PeopleScript = HTMLScriptElement & { openPeople?: OpenPeople };

interface Policy {
  createScriptURL(url: string): string;
}
declare const window: Window & { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };

let loading: Promise<OpenPeople> | undefined;

/** Loads the file that sees to people from the folder `files`, once. The browser refuses a byte that differs from what this
 * build was made with. Rejects with a Failure; the next call tries again. */
export function loadPeople(files: string): Promise<OpenPeople> {
  loading ??= new Promise<OpenPeople>((resolve, reject) => {
    const script: PeopleScript = document.createElement("script");
    const keep: Policy = { createScriptURL: (url) => url };
    script.integrity = INTEGRITY;
    script.crossOrigin = "";
    // A page may want to be shown each address of a script first.
    script.src = (window.trustedTypes?.createPolicy("docent", keep) ?? keep).createScriptURL(files + FILE);
    script.onload = () => resolve(script.openPeople as OpenPeople);
    script.onerror = () => {
      loading = undefined;
      reject(new Failure("network"));
    };
    document.head.append(script);
  });
  return loading;
}
