import { chip, fill, h, icon, iconButton, picture } from "./element.js";
import { dots, trouble } from "./trouble.js";

/** A file of the widget beside the first, as the build made it: its name, and the hash of its bytes. */
export type PartFile = readonly [name: string, integrity: string];

/** Where the file puts what it has: on the element that loaded it, so that it needs no global name. */
export type PartScript<T> = HTMLScriptElement & { exported?: T; lent?: typeof LENT };

/** What the first script draws with, so that no other has it as well: build.mjs puts it in place of their imports. */
const LENT = { chip, dots, fill, h, icon, iconButton, picture, trouble };

interface Policy {
  createScriptURL(url: string): string;
}
declare const window: Window & { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } };

const loading: Record<string, Promise<unknown>> = {};
let policy: Policy | undefined;

/** Loads the file from the folder `files`, once. The browser refuses a byte that differs from what this build was made with.
 * Rejects with an object that has a Failure's `code`; the next call tries again. */
export function loadPart<T>(files: string, [name, integrity]: PartFile): Promise<T> {
  loading[name] ??= new Promise<T>((resolve, reject) => {
    const script: PartScript<T> = document.createElement("script");
    const keep: Policy = { createScriptURL: (url) => url };
    // A page may want to be shown each address of a script first.
    policy ??= window.trustedTypes?.createPolicy("docent", keep) ?? keep;
    script.lent = LENT;
    script.integrity = integrity;
    script.crossOrigin = "";
    script.src = policy.createScriptURL(files + name);
    script.onload = () => resolve(script.exported as T);
    script.onerror = () => {
      delete loading[name];
      // A Failure's code without its class, which the first script has no other use for.
      reject({ code: "network" });
    };
    document.head.append(script);
  });
  return loading[name] as Promise<T>;
}
