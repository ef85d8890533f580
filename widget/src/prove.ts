import type { Client } from "./client.js";
import type { Challenge } from "./contract.js";
import { search } from "./proof_work.js";

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

/** The answer to a challenge, as `POST /v1/widget/init` takes it; undefined where there is none. */
async function prove(challenge: Challenge): Promise<string | undefined> {
  // Refused at once under Node and by a page that wants addresses of scripts approved, later by a page's policy.
  const number = await inWorker(challenge).catch(() => inSlices(challenge));
  return number < 0 ? undefined : btoa(JSON.stringify({ ...challenge, number }));
}

/** After a question was refused as `proof_wanted`: the same conversation goes on by a token that says that work was proven. */
export async function proveTo(client: Client): Promise<void> {
  const { challenge } = await client.open();
  if (challenge) client.proof = await prove(challenge);
  client.goTo(client.conversation);
  await client.open();
  client.proof = undefined;
}
