// Builds the npm packages: packages/*/dist, each a module with its types beside a README and the licence. Nothing is published from here:
// `npm publish --provenance` in a package's folder, from a build that the registry can trust, does that.
import { execFileSync } from "node:child_process";
import { copyFile, readFile, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** In an order in which each may use the types of those before it; modules, where the types begin, and gzipped bytes at most. */
const PACKAGES = [
  { name: "client", modules: ["index", "element"], root: ".", limit: 6_144 },
  { name: "react", modules: ["index"], root: "packages/react/src", limit: 1_536 },
  { name: "vue", modules: ["index"], root: "packages/vue/src", limit: 1_536 },
];

for (const { name, modules, root, limit } of PACKAGES) {
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
  const main = await readFile(here(`${folder}/dist/index.js`));
  const shared = await readFile(here(`${folder}/dist/shared.js`)).catch(() => Buffer.alloc(0));
  const gzipped = gzipSync(main, { level: 9 }).length + (shared.length && gzipSync(shared, { level: 9 }).length);
  console.log(`@docent/${name}: ${main.length + shared.length} bytes, ${gzipped} gzipped (limit ${limit})`);
  if (gzipped > limit) process.exitCode = 1;
}
