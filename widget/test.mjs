// Bundles each test of src/ and of packages/ and hands it to node's own test runner.
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { englishWords } from "./build.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const out = here + "node_modules/.tests/";
rmSync(out, { recursive: true, force: true });
const testsIn = (folder) => readdirSync(here + folder).filter((name) => name.endsWith(".test.ts")).map((name) => `${folder}/${name}`);
const tests = [...testsIn("src"), ...testsIn("packages/client/src")];
await build({
  absWorkingDir: here,
  entryPoints: tests,
  outbase: here,
  outdir: out,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  plugins: [englishWords],
  platform: "node",
  format: "esm",
  sourcemap: "inline",
  target: "node20",
});
const files = tests.map((name) => out + name.replace(/\.ts$/, ".mjs"));
process.exit(spawnSync(process.execPath, ["--enable-source-maps", "--test", ...files], { cwd: here, stdio: "inherit" }).status ?? 1);
