import { PRESET_NAMES, PRESETS } from '../src/config/presets.ts'
import { describeMethods } from '../src/faces/acp/extensions/extension-methods.ts'
import { AVAILABLE_COMMANDS } from '../src/faces/acp/slash-commands.ts'

/** The page about editors, with its tables from the code. */
export function renderAcpPage(): string {
  return `${[BEGIN, modes(), AFTER_MODES, commands(), AFTER_COMMANDS, methods(), END].join('\n\n')}\n`
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const modes = (): string =>
  table(
    ['Mode', 'What it means'],
    PRESET_NAMES.map((name) => [`\`${name}\``, PRESETS[name].says]),
  )

const commands = (): string =>
  table(
    ['Command', 'Does'],
    AVAILABLE_COMMANDS.map(({ name, description, input }) => [
      `\`/${name}${input === undefined || input === null ? '' : ` [${input.hint}]`}\``,
      description,
    ]),
  )

const methods = (): string =>
  table(
    ['Method', 'Does', 'Parameters besides `sessionId`', 'Answers'],
    describeMethods().map(({ name, says, takes, gives }) => [`\`${name}\``, says, takes, gives]),
  )

const BEGIN = `# Editors

\`\`\`sh
tongs setup        # once: a model and its key
tongs acp          # what the editor starts; it talks JSON lines on standard input and output
\`\`\`

\`tongs acp\` is an agent for editors that speak the [Agent Client Protocol](https://agentclientprotocol.com), version 1. Emacs has [a package of its own](emacs.md); settings for [Zed](../editors/zed.md), [Neovim](../editors/neovim.md), [JetBrains](../editors/jetbrains.md) and [VS Code](../editors/vscode.md) are in \`editors/\`, with a manifest for the registry of agents. Everything that holds for the terminal holds here: the same [pipeline](pipeline.md), the same [questions](approvals.md), the same state folder.

- **Standard output carries messages only.** What there is to say to a person is on standard error.
- **\`cwd\` is the root,** exactly as the editor names it: the protocol makes it the boundary. \`tongs sessions --root DIR\` shows the sessions of an editor beside those of the terminal; their names begin with \`acp-\`.
- **Options** are those of \`tongs run\` (\`--model\`, \`--preset\`, \`--max-cost\` …). They hold for every session of the process.
- **Nothing outlives the editor.** When it goes, running commands end and are rolled back. A question that was open keeps waiting, and is there with the next \`session/load\`, or in \`tongs pending\`.

## What is spoken

| Method | Here |
| --- | --- |
| \`initialize\` | \`agentCapabilities\`: \`loadSession\`, \`sessionCapabilities\` (list, resume, close), \`promptCapabilities\` (image, embeddedContext), \`mcpCapabilities.http\`; \`_meta.tongs.methods\` names the methods beyond the protocol |
| \`authenticate\` | checks that a model can be opened; \`setup\` is the only method. Keys never pass through the editor: \`tongs setup\` stores them, or the environment has them. Clients with \`auth.terminal\` get it as a method they can start (\`tongs acp setup\` is \`tongs setup\`) |
| \`session/new\` | a new session. Without a model it fails with -32000, unless \`_meta: {"tongs": {"model": "optional"}}\` says that the client only calls tools |
| \`session/load\`, \`session/resume\` | continue a session of this root, whoever began it; \`load\` replays it. \`_meta.tongs\` of the answer has \`pending\` (questions that wait) and \`interrupted\` (what a killed process left), if there are any |
| \`session/list\` | the sessions of \`cwd\`, the last used first. \`_meta.tongs\` is the row of \`tongs sessions --json\`; for a session that another process has open, \`owner\` names its process, command and since when |
| \`session/close\` | lets go of a session; the log keeps it |
| \`session/prompt\` | one turn. Questions that wait and interruptions are asked about first. \`_meta.tongs\` of the answer: \`stop\`, \`usage\`, \`changes\`, as in the \`done\` event of \`tongs run --json\` |
| \`session/cancel\` | stops the turn; every call gets its result, and the stop reason is \`cancelled\` |
| \`session/set_mode\`, \`session/set_config_option\` | the preset, and the model of the next turn (\`preset\`, \`model\`); not while a turn is running |

Text, links and embedded text reach the model, and so do [pictures and PDFs](tasks/show-a-picture.md), as images, embedded files or links to files of the root, if the model takes them. Sound and other binary files do not: the model is told that something was attached, and you are told that it was not shown.

### Modes`

const AFTER_MODES = `A mode that was set stays with the session.

### What an editor is told

| Update | When |
| --- | --- |
| \`agent_message_chunk\`, \`agent_thought_chunk\` | the model writes; \`messageId\` tells one message from the next |
| \`tool_call\` | a call is about to be judged. \`toolCallId\` is the id of its execution, which \`tongs why\`, \`undo\` and the methods below take. A call of a delegated conversation has \`↳\` before its title, and \`_meta.tongs.delegate.execution\` is the \`toolCallId\` of the call it belongs to |
| \`tool_call_update\` | it runs (\`in_progress\`, with the end of its output), or has ended: diffs of every file it changed, else its text; \`rawOutput\` is the result or the error, \`_meta.tongs\` its \`execution\`. An error lists what to do about it. A command that failed is \`failed\` although its call was fine. A call whose question was put off is \`pending\` again and says that it waits; \`_meta.tongs.waiting\` has the id of the question |
| \`plan\` | work items of \`todo_write\` and \`task\` have changed; empty if the last one is gone |
| \`usage_update\` | how full the context window is; \`_meta.tongs\` has tokens and cost |
| \`session_info_update\` | the title |
| \`available_commands_update\` | a session is open, after the answer that names it, or the files that are commands have changed |
| \`notice\` | retries, compaction, how a turn ended; in italics among the messages if the client does not know notices |

### Questions

\`session/request_permission\` shows the diff, what else would change (modes, links, folders, binary and removed files) as lines, every argument that no diff shows, the risk, why it is asked, what confines a command, and what undo can take back. Commands run on a [layer](layers.md) first, so that what they changed is the question.

| Option | Means |
| --- | --- |
| \`once\` | yes, this once; \`_meta: {"tongs": {"hunks": [1, 3]}}\` of the response takes only these hunks |
| \`duration\` | yes, and all calls of this tool for \`tools.approval.grant_seconds\` |
| \`scope-1\`, \`scope-2\` … | yes, until revoked, for what the option says |
| \`deny\` | no; \`_meta: {"tongs": {"say": "…"}}\` of the response tells the model why |
| \`later\` | the question waits; offered to clients with \`_meta.tongs.later\` |

The outcome \`cancelled\`, an unknown option and an answer that cannot be read mean *later*, never yes. \`_meta.tongs\` of the request is the question as \`tongs pending --json\` prints it: \`id\`, \`kind\`, \`summary\`, \`risk\`, \`danger\`, \`diff\`, \`hunks\`, \`why\`, \`rung\`, \`layer\`, \`limits\`, \`scopes\`, \`changes\`, \`expires_at\`.

### Files that are open and unsaved

With \`fs.readTextFile\` and \`fs.writeTextFile\`, a file that a call names is asked for in the editor first.

- Its buffer equals the file: it is read and written on disk as ever.
- It has unsaved text: the call is given that text, and the ledger remembers its hash. An edit is committed to the log and then written through the editor; the result says \`"landed": "editor"\`. Undo and redo go the same way. The answer to \`fs/write_text_file\` may be \`{}\` or \`null\`.
- A name on the way to it was changed while the editor was asked, and its text is not that of the file: the call is refused, because the text may be that of another file. It stays so until the text is saved, or read anew. If a folder above is changed while the editor writes, the call is in doubt. [What holds](promises.md#not-promised)
- \`_meta: {"tongs": {"readOnly": "why"}}\` in the answer to \`fs/read_text_file\` says that the buffer is read-only. An edit, a removal or an undo of the file is refused with these words, also if nothing in it is unsaved.
- Commands, searches and lists see what is saved, and never unsaved text. The protocol lets an agent read a file by its name and does not say which buffers are open, so a search would have to ask the editor for every file of the workspace. What a command made of a file with unsaved text or in a read-only buffer does not land: the call fails with \`stale_file\` before its commit, and its layer is kept.
- If an edit of several files is taken back, a buffer that a person has typed in meanwhile is left, and the call is in doubt and names it; so is one whose write the editor did not answer within ten seconds.

### MCP servers

Servers in \`session/new\` are asked about before the first prompt: once before one is started, with its command, its variables and what confines it, and once before its tools are used, with all that a model would read of them. What you trusted is bound to the program, its arguments and variables. Values with \`\${NAME}\` are refused.

### Terminals

No command is run in a terminal of the client: it would have neither sandbox nor layer nor undo there. [Why](decisions/0037-editors-are-faces-with-buffers.md) Output is streamed instead, as the content of the call. A client with \`clientCapabilities._meta.terminal_output\`, such as Zed, draws it as a terminal: the call has content of type \`terminal\`, and \`_meta\` of the updates has \`terminal_info\`, \`terminal_output\` and \`terminal_exit\`.

## Commands in a prompt`

const AFTER_COMMANDS = `Undo and redo list the files, and ask. [Commands that are files](tasks/write-own-commands.md), yours and those of a trusted project, are listed after these and work as in the app; a client is told when the list changes.

## Methods beyond the protocol

A client may use them or not. It says in \`clientCapabilities._meta.tongs\` what it can be sent: \`{"later": true, "tools": true, "output": true}\`.`

const END = `Every method fails with -32602 for parameters that are not as documented, -32002 for a session that is not open, -32600 while something else is running in the session, and -32603 otherwise; \`data\` has \`code\` and \`recovery\`, a list of sentences.

**Answers.** \`_tongs/answer\` takes \`answer\`: \`once\` (with \`hunks\`), \`duration\` (with \`seconds\` and, if not the whole tool is meant, \`scope\`), \`scope\` (with \`scope\`, one of \`scopes[].scope\` of the question), \`deny\` (with \`say\`) or \`later\`. If the question is being asked, it takes the place of the response, and the client is sent \`$/cancel_request\` for its dialog. If it waits, the last answer of a batch runs it; \`_tongs/continue\` then goes on with the turn.

\`\`\`json
{"method": "_tongs/answer", "params": {"sessionId": "acp-…", "approval": "…", "answer": "deny", "say": "use b.txt"}}
{"taken": true, "results": [{"id": "c1", "ok": false, "error": {"code": "approval_denied"}}], "open": [], "faults": []}
\`\`\`

**Undo.** First with \`dryRun\`, to show the files and the diff; then with the same parameters and with \`shown\` from the answer. If it would do something else by then, nothing is changed: \`ok\` is false, \`message\` says so, and the answer shows what it would do now, with a new \`shown\`.

\`\`\`json
{"method": "_tongs/undo", "params": {"sessionId": "acp-…", "dryRun": true, "turn": true}}
{"ok": true, "session": "acp-…", "calls": ["…"], "files": [{"path": "a.txt", "action": "restored"}], "drifted": [], "diff": "--- …", "message": null, "shown": "…"}
{"method": "_tongs/undo", "params": {"sessionId": "acp-…", "turn": true, "shown": "…"}}
\`\`\`

**Tools of the editor.** \`_tongs/tools/register\` takes \`tools\`: \`[{name, description, inputSchema, effect?}]\`, with \`effect\` \`read\` or \`external\` (the default). They pass the same gates as any tool and are asked about; a yes is for the tool as it was registered, and a grant ends when the editor goes; the agent then sends \`_tongs/tools/call\`:

\`\`\`json
{"method": "_tongs/tools/call", "params": {"sessionId": "acp-…", "name": "open_buffers", "args": {}, "execution": "…"}}
{"text": "a.el", "structured": {"count": 1}, "isError": false}
\`\`\`

\`structured\` and \`isError\` may be left out. A JSON-RPC error, or \`isError\`, fails the call with these words.

**Output.** With \`output\`, the agent sends a notification for each piece that a command writes; \`_tongs/output\` reads what was written before.

\`\`\`json
{"method": "_tongs/output", "params": {"sessionId": "acp-…", "execution": "…", "stream": "stdout", "chunk": "ok 1\\n"}}
\`\`\``
