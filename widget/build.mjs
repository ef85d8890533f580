// Builds dist/widget.js, dist/panel.js, dist/people.js, dist/page.js, dist/past.js, dist/proof.js, dist/confirm.js, dist/code.js, dist/search.js, dist/inline.js, dist/invite.js and dist/webmcp.js with their source maps, dist/words/, and the client without an interface
// with its types, docent-client.js and docent-client.d.ts. With --check: builds in memory and fails if the committed files differ.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";
import { minify } from "terser";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const minifiedCss = {
  name: "minified css as text",
  setup(setup) {
    setup.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      // A rem is of the visitor's browser, not of a page that has another size for its own root: theme.ts.
      const sized = code.trim().replace(/(?<![\w.-])([\d.]+)rem\b/g, "calc($1*var(--rem))");
      // esbuild keeps the blank before a custom property's value, and after the comma of a fallback.
      return { contents: sized.replace(/(--[\w-]+[:,]) /g, "$1"), loader: "text" };
    });
  },
};

const wordsOf = async (language) => JSON.parse(await readFile(here(`src/words/${language}.json`), "utf8"));
const WORD_NAMES = Object.keys(await wordsOf("en"));

/** A language's texts without their names, in the order of the English ones. */
async function wordList(language) {
  const words = await wordsOf(language);
  if (Object.keys(words).sort().join() !== [...WORD_NAMES].sort().join()) {
    throw new Error(`words/${language}.json has not the names of words/en.json`);
  }
  return WORD_NAMES.map((name) => words[name]);
}

/** Modules that are made here: each has a name after "docent:" and says what it holds. */
function madeModules(modules) {
  return {
    name: "made modules",
    setup(setup) {
      setup.onResolve({ filter: /^docent:/ }, ({ path }) => ({ path, namespace: "docent" }));
      setup.onLoad({ filter: /.*/, namespace: "docent" }, async ({ path }) => ({ contents: await modules[path.slice(7)](), loader: "js" }));
    },
  };
}

async function namesOfEnum(file, name) {
  const [, names] = new RegExp(`enum ${name} \\{([^}]*)\\}`).exec(await readFile(here(file), "utf8"));
  return names.match(/\w+/g);
}

/** The last of enum W that the first script has. */
const LAST_OF_FRAME = "note";

/** The English words of enum W, those of enum P, those of enum C, and those of enum T. */
async function englishParts() {
  const enums = [["src/words.ts", "W"], ["src/people_words.ts", "P"], ["src/confirm_words.ts", "C"], ["src/past_words.ts", "T"]];
  const names = await Promise.all(enums.map(([file, name]) => namesOfEnum(file, name)));
  if (names.flat().join() !== WORD_NAMES.join()) throw new Error("the enums W, P, C and T are not the names of words/en.json");
  const words = await wordList("en");
  const ends = names.map((_, at) => names.slice(0, at + 1).flat().length);
  return ends.map((end, at) => words.slice(ends[at - 1] ?? 0, end));
}

/** "Close" in each language, of the search's words, for a script that needs no other. */
async function closeWords() {
  const at = (await namesOfEnum("src/search_words.ts", "S")).indexOf("close");
  const lists = (await readFile(here("src/search_words.ts"), "utf8")).matchAll(/^  (\w+): "(.*)",$/gm);
  return `export default ${JSON.stringify(Object.fromEntries([...lists].map(([, language, words]) => [language, words.split("|")[at]])))};`;
}

// Marked as pure: a script that names none of the words is to be without them.
const asList = (words) => `export default /* @__PURE__ */ ${JSON.stringify(words.join("|"))}.split("|");`;
const ENGLISH = {
  "close-words": closeWords,
  "english-frame": async () => asList((await wordList("en")).slice(0, WORD_NAMES.indexOf(LAST_OF_FRAME) + 1)),
  // Those of the first script come with the page, in whichever language: here their places are empty.
  english: async () => asList((await englishParts())[0].fill("", 0, WORD_NAMES.indexOf(LAST_OF_FRAME) + 1)),
  "english-people": async () => {
    const [first, second] = await englishParts();
    return `export const BEFORE = ${first.length}; ${asList(second)}`;
  },
  "english-confirm": async () => {
    const [first, second, third] = await englishParts();
    return `export const BEFORE = ${first.length + second.length}; ${asList(third)}`;
  },
  "english-past": async () => {
    const parts = await englishParts();
    return `export const BEFORE = ${parts.slice(0, 3).flat().length}; ${asList(parts[3])}`;
  },
};
export const englishWords = madeModules(ENGLISH);

const LENDERS = ["element", "trouble"];

/** In place of the modules that the first script lends to those that it loads: part_file.ts. */
const lent = {
  name: "lent modules",
  setup(setup) {
    setup.onLoad({ filter: new RegExp(`/src/(${LENDERS.join("|")})\\.ts$`) }, async ({ path }) => {
      const names = [...(await readFile(path, "utf8")).matchAll(/^export function (\w+)/gm)].map(([, name]) => name);
      return { contents: `export const { ${names.join(", ")} } = document.currentScript.lent;`, loader: "js" };
    });
  },
};

const INTERNAL_NAMES = [
  ...["isReconnecting", "isUnsure", "isCommented", "isOnline", "connection", "notice", "refusal"],
  ...["agentId", "pageUrl", "anonymousId", "keepAnonymousId", "stallMs", "waitMs"],
  ...["onCitation", "endedInCr", "settle", "begin", "renew", "spoken", "speech", "happening", "newId", "actions", "words", "above"],
  ...["turns", "question", "answer", "forget", "cited", "write", "wake", "line", "intro", "avatar", "live", "files", "dress"],
  ...["direction", "happening", "draw", "session", "leave", "isCommented", "notice", "connect"],
  ...["exported", "lent", "iconButton", "trouble", "dots", "chip", "load", "tab", "client", "store", "root", "isRefused", "offer", "askWhy", "withPeople", "call", "wait", "list", "panel", "input", "tag", "source", "chat", "say", "look"],
  ...["frame", "announcer", "approach", "opened", "closed", "wear", "emit", "isSent", "typed", "speak", "fail"],
  ...["goTo", "older", "mend", "mark", "isMarked", "expect", "keep", "hasEarlier", "hasPast", "isGoingBack", "current", "button"],
  ...["attend", "paint", "isNone", "isCut", "options"],
];

/** The scripts that another one loads. */
const LOADED = ["panel", "people", "page", "past", "confirm", "code"];

const SHARED = {
  absWorkingDir: here("."),
  bundle: true,
  minify: true,
  target: ["es2022", "safari16.4"],
  charset: "utf8",
  legalComments: "none",
  write: false,
};

/** In an order in which each may use those before it. */
const TYPED_MODULES = ["contract", "docent", "failure", "ids", "page_address", "page_context", "safe_link", "client"];

const SCRIPT = {
  ...SHARED,
  sourcemap: true,
  format: "iife",
  // Names of ours that never leave these files; a name of the API, the browser or the enums W and P must not be in this list.
  mangleProps: new RegExp(`^(${INTERNAL_NAMES.join("|")})$`),
};

export async function buildWidget() {
  // Each script carries the hashes of those that it loads: the first that of the panel's, which carries the others'.
  const compile = (name, mangleCache, parts = "") =>
    build({
      ...SCRIPT,
      entryPoints: [`src/${name}.ts`],
      outfile: `dist/${name === "main" ? "widget" : name}.js`,
      mangleCache,
      plugins: [...(LOADED.includes(name) ? [lent] : []), minifiedCss, madeModules({ ...ENGLISH, parts: () => parts })],
    });
  // The first chooses the short names, then the panel's: their weight counts most. The others call the same things by them.
  let { mangleCache } = await compile("main", {}, "export const PANEL = [];");
  ({ mangleCache } = await compile("panel", mangleCache, "export const PEOPLE = [], PAGE = [], PAST = [];"));
  const script = async (name, parts) => squeezed((await compile(name, mangleCache, parts)).outputFiles);
  const [proof, past, search] = [await script("proof"), await script("past"), await script("search")];
  const [confirm, code] = [await script("confirm"), await script("code")];
  const page = await script("page", `export const CODE = ${hashed("code", code)};`);
  const people = await script("people", `export const PROOF = ${hashed("proof", proof)}, CONFIRM = ${hashed("confirm", confirm)};`);
  const panel = await script("panel", `export const PEOPLE = ${hashed("people", people)}, PAGE = ${hashed("page", page)}, PAST = ${hashed("past", past)};`);
  const panelFile = `export const PANEL = ${hashed("panel", panel)};`;
  const [first, inline] = [await script("main", panelFile), await script("inline", panelFile)];
  const [invite, webmcp] = [await script("invite"), await script("webmcp")];
  const words = await Promise.all(
    (await readdir(here("src/words")))
      .filter((name) => name !== "en.json")
      .map(async (name) => ({
        path: here("dist/words/" + name),
        contents: Buffer.from(JSON.stringify(await wordList(name.slice(0, -5)))),
      })),
  );
  return [...first, ...panel, ...people, ...proof, ...confirm, ...code, ...page, ...past, ...search, ...inline, ...invite, ...webmcp, ...words];
}

/** A file's name for good and its `integrity`, which begins with what the name carries: it is as good as free in gzip. */
function hashed(name, [, { contents }]) {
  const digest = createHash("sha384").update(contents).digest();
  return JSON.stringify([`${name}.${digest.toString("base64url").slice(0, 16)}.js`, `sha384-${digest.toString("base64")}`]);
}

export const TERSER = {
  ecma: 2020,
  compress: { passes: 3, ecma: 2020, pure_getters: true, keep_fargs: false, hoist_funs: true, unsafe_arrows: true, module: true },
};

/** esbuild bundles and mangles properties; terser then finds shorter ways to say the same. Returns map and script. */
async function squeezed([map, script]) {
  const { code, map: squeezedMap } = await minify(script.text.replace(/\n?\/\/# sourceMappingURL=.*\n?$/, ""), {
    ...TERSER,
    sourceMap: { content: map.text, url: basename(map.path) },
  });
  return [
    { path: map.path, contents: Buffer.from(squeezedMap) },
    { path: script.path, contents: Buffer.from(code + "\n") },
  ];
}

export async function buildClient() {
  const { outputFiles, metafile } = await build({
    ...SHARED,
    entryPoints: ["src/headless.ts"],
    outfile: "dist/docent-client.js",
    format: "esm",
    metafile: true,
  });
  const types = await clientTypes();
  const typed = [...types.matchAll(/^export declare (?:class|const|function) (\w+)/gm)].map(([, name]) => name);
  const { exports } = metafile.outputs["dist/docent-client.js"];
  if (typed.sort().join() !== exports.sort().join()) {
    throw new Error(`the types declare ${typed}, the module exports ${exports}: see TYPED_MODULES, or mark a name @internal`);
  }
  return [...outputFiles, { path: here("dist/docent-client.d.ts"), contents: Buffer.from(types) }];
}

/** One file of declarations, from those that the compiler writes for each module. */
async function clientTypes() {
  const folder = await mkdtemp(join(tmpdir(), "docent-types-"));
  try {
    const wanted = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--stripInternal", "--rootDir", "src"];
    execFileSync(here("node_modules/.bin/tsc"), [...wanted, "--outDir", folder], { cwd: here("."), stdio: "inherit" });
    const parts = TYPED_MODULES.map((name) => readFile(join(folder, name + ".d.ts"), "utf8"));
    return (await Promise.all(parts)).join("\n").replace(/^import type .*\n/gm, "");
  } finally {
    await rm(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isCheck = process.argv.includes("--check");
  await mkdir(here("dist/words"), { recursive: true });
  for (const { path, contents } of [...(await buildWidget()), ...(await buildClient())]) {
    if (!isCheck) {
      await writeFile(path, contents);
    } else if (!(await readFile(path).catch(() => Buffer.alloc(0))).equals(contents)) {
      console.error(`${path} is not what src/ builds: run "npm run build" and commit it.`);
      process.exitCode = 1;
    }
  }
}
