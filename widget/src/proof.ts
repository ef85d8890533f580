/** What only visitors load whose question was refused until work is proven. */
import type { Challenge } from "./contract.js";
import type { PartScript } from "./part_file.js";
import { search } from "./proof_work.js";

/** The answer to a challenge, as `POST /v1/widget/init` takes it; undefined where there is none. */
export type Prove = (challenge: Challenge) => Promise<string | undefined>;

/** Numbers that are tried before the page gets its turn, where there is no worker: a few milliseconds of them. */
const SLICE = 1000;

/** In a worker, so that the page does not wait; the page itself where its policy allows none. */
function inWorker(challenge: Challenge): Promise<number> {
  return new Promise((resolve, reject) => {
    const code = `const search=${search.toString()};onmessage=({data})=>postMessage(search(data,0,Infinity))`;
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = new Worker(address);
    const end = (): void => {
      worker.terminate();
      URL.revokeObjectURL(address);
    };
    worker.onmessage = ({ data }: MessageEvent<number>) => {
      end();
      resolve(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end();
      reject(new Error());
    };
    worker.postMessage(challenge);
  });
}

async function inSlices(challenge: Challenge): Promise<number> {
  for (let from = 0; from <= challenge.maxnumber; from += SLICE) {
    const found = search(challenge, from, SLICE);
    if (found >= 0) return found;
    await new Promise((resolve) => setTimeout(resolve));
  }
  return -1;
}

const prove: Prove = async (challenge) => {
  // Refused at once by a page that wants addresses of scripts approved, later by its policy.
  const number = await inWorker(challenge).catch(() => inSlices(challenge));
  return number < 0 ? undefined : btoa(JSON.stringify({ ...challenge, number }));
};

(document.currentScript as PartScript<Prove>).exported = prove;
