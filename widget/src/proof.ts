/** What only visitors load whose question was refused until work is proven. */
import type { Client } from "./client.js";
import type { PartScript } from "./part_file.js";
import { proveTo } from "./prove.js";

/** Returns once the client may ask again. */
export type ProveTo = (client: Client) => Promise<void>;

(document.currentScript as PartScript<ProveTo>).exported = proveTo;
