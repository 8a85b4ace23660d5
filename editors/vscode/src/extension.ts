// The client of `scanner lsp`: it starts the server for the workspace, and asks why a finding is accepted.
import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

/** The command of the server that writes a finding into the baseline. */
const ACCEPT = "scanner.accept";
const INSTALL = "pip install 'kafka-lineage-scanner[lsp,code,terraform]'";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(vscode.commands.registerCommand("scanner.restart", restart));
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("scanner")) void restart();
    }),
  );
  await restart();
}

export function deactivate(): Promise<void> | undefined {
  return client?.stop();
}

async function restart(): Promise<void> {
  await client?.stop();
  client = newClient();
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    await vscode.window.showErrorMessage(`scanner lsp does not start: ${error}. Install it: ${INSTALL}`);
  }
}

function newClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration("scanner");
  const dictionary = settings.get<string>("dictionary", "");
  const folder = vscode.workspace.workspaceFolders?.[0];
  const server: ServerOptions = {
    command: settings.get<string>("command", "scanner"),
    args: ["lsp"],
    // A URL may have a password: other users of the machine see arguments, but not variables.
    options: { cwd: folder?.uri.fsPath, env: { ...process.env, ...(dictionary && { SCANNER_DICTIONARY: dictionary }) } },
  };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file" }],
    middleware: {
      executeCommand: async (command, args, next) =>
        command === ACCEPT ? accept(args, (all) => next(command, all)) : next(command, args),
    },
  };
  return new LanguageClient("scanner", "scanner", server, options);
}

/** Ask for a reason and the last day, and accept the finding; nothing happens if the user cancels. */
async function accept(args: unknown[], send: (args: unknown[]) => unknown): Promise<void> {
  const reason = await vscode.window.showInputBox({
    title: "Accept the finding",
    prompt: "Why is the change accepted?",
    validateInput: (text) => (text.trim() ? undefined : "Enter a reason"),
  });
  if (!reason) return;
  const until = await vscode.window.showInputBox({
    title: "Accept the finding",
    prompt: "The last day, as in 2027-01-31",
    value: new Date(Date.now() + 90 * 24 * 3600 * 1000).toISOString().slice(0, 10),
    validateInput: (text) => (/^\d{4}-\d{2}-\d{2}$/.test(text) ? undefined : "Enter a date, as in 2027-01-31"),
  });
  if (until) await send([args[0], reason, until]);
}
