import { PEOPLE } from "docent:parts";
import type { Client } from "./client.js";
import type { OpenPeople } from "./desk.js";
import type { Shell } from "./shell.js";

const AGAIN_MS = 2000;

/** The file that sees to people, asked for a second time after a while or once the network is back. */
export function peopleFile({ load, signal }: Shell, client: Client): Promise<OpenPeople> {
  return load<OpenPeople>(PEOPLE).catch(() => client.wait(AGAIN_MS, signal).then(() => load<OpenPeople>(PEOPLE)));
}
