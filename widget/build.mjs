// Builds dist/widget.js, its source map and dist/words/. With --check: builds in memory and fails if the committed files differ.
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const minifiedCss = {
  name: "minified css as text",
  setup(setup) {
    setup.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, "utf8"), { loader: "css", minify: true });
      // esbuild keeps the blank before a custom property's value, and after the comma of a fallback.
      return { contents: code.trim().replace(/(--[\w-]+[:,]) /g, "$1"), loader: "text" };
    });
  },
};

const INTERNAL_NAMES = [
  ...["isReconnecting", "isUnsure", "isCommented", "isOpen", "isOnline", "connection", "notice", "refusal"],
  ...["agentId", "pageUrl", "anonymousId", "keepAnonymousId", "stallMs", "waitMs"],
  ...["onCitation", "endedInCr", "launcher", "spoken", "speech", "happening", "newId", "actions", "words", "above"],
  ...["turns", "question", "answer", "forget", "cited", "write", "wake", "line"],
];

export async function buildWidget() {
  const { outputFiles } = await build({
    absWorkingDir: here("."),
    entryPoints: ["src/main.ts"],
    outfile: "dist/widget.js",
    bundle: true,
    minify: true,
    sourcemap: true,
    format: "iife",
    target: ["es2022", "safari16.4"],
    charset: "utf8",
    // Names of ours that never leave the bundle; a name of the API or the browser must not be in this list.
    mangleProps: new RegExp(`^(${INTERNAL_NAMES.join("|")})$`),
    legalComments: "none",
    plugins: [minifiedCss],
    write: false,
  });
  const words = await Promise.all(
    (await readdir(here("src/words"))).map(async (name) => ({
      path: here("dist/words/" + name),
      contents: Buffer.from(JSON.stringify(JSON.parse(await readFile(here("src/words/" + name), "utf8")))),
    })),
  );
  return [...outputFiles, ...words];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const isCheck = process.argv.includes("--check");
  await mkdir(here("dist/words"), { recursive: true });
  for (const { path, contents } of await buildWidget()) {
    if (!isCheck) {
      await writeFile(path, contents);
    } else if (!(await readFile(path).catch(() => Buffer.alloc(0))).equals(contents)) {
      console.error(`${path} is not what src/ builds: run "npm run build" and commit it.`);
      process.exitCode = 1;
    }
  }
}
