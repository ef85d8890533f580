/** The second file: what is in the panel, for those who open it. */
import { Conversation } from "./conversation.js";
import type { PartScript } from "./part_file.js";
import type { OpenPanel } from "./shell.js";

const openPanel: OpenPanel = (shell) => new Conversation(shell);

(document.currentScript as PartScript<OpenPanel>).exported = openPanel;
