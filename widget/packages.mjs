// Builds the npm packages: packages/*/dist, each a module with its types beside a README and the licence. Nothing is published from here:
// `npm publish --provenance` in a package's folder, from a build that the registry can trust, does that.
import { execFileSync } from "node:child_process";
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";
import { TERSER } from "./build.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** In an order in which each may use the types of those before it; modules, where the types begin, and gzipped bytes at most. What is
 * `rare` is loaded by those alone who need it, and has a limit of its own. */
const PACKAGES = [
  { name: "client", modules: ["index", "element", "proof", "confirm"], root: ".", limit: 6_336, rare: { proof: 2_048, confirm: 512 } },
  { name: "react", modules: ["index"], root: "packages/react/src", limit: 1_536 },
  { name: "vue", modules: ["index"], root: "packages/vue/src", limit: 1_536 },
];

function weigh(what, limit, ...files) {
  const sum = (lengths) => lengths.reduce((all, each) => all + each, 0);
  const gzipped = sum(files.map((file) => gzipSync(file, { level: 9 }).length));
  console.log(`@docent/${what}: ${sum(files.map((file) => file.length))} bytes, ${gzipped} gzipped (limit ${limit})`);
  if (gzipped > limit) process.exitCode = 1;
}

/** As the widget's scripts are: build.mjs. */
async function squeeze(folder) {
  for (const name of (await readdir(here(folder))).filter((each) => each.endsWith(".js"))) {
    const path = here(`${folder}/${name}`);
    const { code } = await minify(await readFile(path, "utf8"), { ...TERSER, module: true });
    await writeFile(path, code + "\n");
  }
}

for (const { name, modules, root, limit, rare = {} } of PACKAGES) {
  const folder = `packages/${name}`;
  await rm(here(`${folder}/dist`), { recursive: true, force: true });
  await build({
    absWorkingDir: here("."),
    entryPoints: modules.map((module) => `${folder}/src/${module}.ts`),
    outdir: `${folder}/dist`,
    bundle: true,
    splitting: true,
    chunkNames: "shared",
    format: "esm",
    minify: true,
    target: ["es2022", "safari16.4"],
    charset: "utf8",
    legalComments: "none",
    external: ["@docent/client", "react", "vue"],
  });
  const wanted = ["--declaration", "--emitDeclarationOnly", "--stripInternal", "--rootDir", root, "--outDir", `${folder}/dist/types`];
  execFileSync(here("node_modules/.bin/tsc"), ["--project", `${folder}/tsconfig.json`, "--noEmit", "false", ...wanted], { cwd: here("."), stdio: "inherit" });
  await copyFile(here("../LICENSE"), here(`${folder}/LICENSE`));
  await squeeze(`${folder}/dist`);
  const read = (module) => readFile(here(`${folder}/dist/${module}.js`));
  const shared = await read("shared").catch(() => null);
  weigh(name, limit, await read("index"), ...(shared ? [shared] : []));
  for (const [module, limit] of Object.entries(rare)) weigh(`${name}/${module}`, limit, await read(module));
}
