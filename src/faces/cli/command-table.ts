import type { CommandSpec, OptionSpec } from './arguments.ts'

/** The options every command takes. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  {
    name: '--root',
    value: 'DIR',
    says: 'the folder to work in (default: the nearest folder upward with a .git of yours, else the current one)',
  },
  {
    name: '--session',
    value: 'NAME',
    says: 'the session (default: cli; run begins a new one; undo and redo find the newest change)',
  },
  { name: '--config', value: 'FILE', says: 'an additional configuration file' },
  { name: '--profile', value: 'NAME', says: 'agent or strict' },
  {
    name: '--preset',
    value: 'NAME',
    says: 'plan, ask, edits or auto: how much may happen without asking (run: configured is none of them)',
  },
  { name: '--set', value: 'KEY=VALUE', isRepeatable: true, says: 'one setting; may be repeated' },
  { name: '--yes', value: null, says: 'approve every call once, without asking' },
  { name: '--no-input', value: null, says: 'never ask; calls that need approval wait' },
  { name: '--dry-run', value: null, says: 'show what would happen, change nothing' },
  { name: '--json', value: null, says: 'print JSON' },
]

/** The options of commands that use a model. */
export const MODEL_OPTIONS: readonly OptionSpec[] = [
  {
    name: '--model',
    value: 'MODEL',
    says: 'anthropic/…, openai/…, google/…, compatible/…, or script:FILE',
  },
  { name: '--base-url', value: 'URL', says: 'the URL of a compatible server' },
  { name: '--protocol', value: 'WAY', says: 'native, fenced or auto' },
  {
    name: '--continue',
    value: null,
    says: 'continue the session whose turn was answered, else the last one used',
  },
  { name: '--max-tokens', value: 'N', says: 'stop after this many tokens' },
  { name: '--max-cost', value: 'N', says: 'stop at this cost (see model.prices)' },
  { name: '--max-seconds', value: 'N', says: 'stop after this many seconds' },
]

/** All commands, in help order. */
export const COMMANDS = [
  {
    name: 'app',
    words: '',
    arity: [0, 0],
    says: 'open the terminal app (the default); in a pipe, run the demo',
    options: MODEL_OPTIONS,
  },
  {
    name: 'call',
    words: 'TOOL [ARGS|-]',
    arity: [1, 2],
    says: 'run one tool call; ARGS is a JSON object, - reads it from stdin',
  },
  { name: 'batch', words: '[FILE|-]', arity: [0, 1], says: 'run a JSON array of {id, name, args}' },
  {
    name: 'run',
    words: '[PROMPT|-]',
    arity: [0, 1],
    says: 'run one user turn with a model; - reads the prompt from stdin',
    options: MODEL_OPTIONS,
  },
  {
    name: 'setup',
    words: '',
    arity: [0, 0],
    says: 'choose a model and its key, step by step; with --model, without questions',
    options: [
      { name: '--model', value: 'MODEL', says: 'anthropic/…, openai/…, google/… or compatible/…' },
      { name: '--base-url', value: 'URL', says: "a server other than the provider's own" },
      { name: '--key-command', value: 'COMMAND', says: 'a command that prints the key' },
      { name: '--key-stdin', value: null, says: 'read the key from stdin, and store it' },
    ],
  },
  {
    name: 'sessions',
    words: '[rename NAME TITLE|fork NAME [--at CALL|MESSAGE] [--as NAME]]',
    arity: [0, Infinity],
    says: 'list the sessions of this folder, name one, or copy its messages into a new one',
    options: [
      { name: '--at', value: 'PLACE', says: 'copy up to a message, by its number, or the results of a call' },
      { name: '--as', value: 'NAME', says: 'the name of the copy' },
    ],
  },
  {
    name: 'recover',
    words: '[--resume|--discard]',
    arity: [0, 0],
    says: 'show what an interrupted batch left, and resume or discard it',
    options: [
      { name: '--resume', value: null, says: 'keep what finished' },
      { name: '--discard', value: null, says: 'mark all of it as failed' },
    ],
  },
  { name: 'pending', words: '', arity: [0, 0], says: 'list the calls that are waiting for approval' },
  {
    name: 'approve',
    words: 'ID…|all [--for SECONDS] [--scope SCOPE] [--hunks LIST]',
    arity: [1, Infinity],
    says: 'approve waiting calls, once or for longer',
    options: [
      { name: '--for', value: 'SECONDS', says: 'do not ask again for this long' },
      { name: '--hunks', value: 'LIST', says: 'take only these hunks of the diff, such as 1,3-5' },
      {
        name: '--scope',
        value: 'SCOPE',
        says: 'do not ask again for this scope: tool, arguments, path:GLOB, origin:URL or command:WORDS',
      },
    ],
  },
  {
    name: 'deny',
    words: 'ID…|all [--say TEXT]',
    arity: [1, Infinity],
    says: 'deny waiting calls, with a message for the model',
    options: [{ name: '--say', value: 'TEXT', says: 'a message for the model' }],
  },
  {
    name: 'undo',
    words: '[CALL…|--last N|--turn] [--merge] [--except FILE…]',
    arity: [0, Infinity],
    says: 'undo committed changes, all files or none',
    options: [
      { name: '--last', value: 'N', says: 'the last N calls' },
      { name: '--turn', value: null, says: 'the whole last turn' },
      { name: '--merge', value: null, says: 'in files that changed since, undo only the lines of the calls' },
      {
        name: '--except',
        value: 'FILE…',
        isRepeatable: true,
        takesAll: true,
        says: 'leave these files as they are; they can be undone later',
      },
    ],
  },
  { name: 'redo', words: '', arity: [0, 0], says: 'redo what the last undo reverted' },
  {
    name: 'log',
    words: '[--last N|--markdown [--turn]]',
    arity: [0, 0],
    says: 'show the session log, or a summary of it for a pull request',
    options: [
      { name: '--last', value: 'N', says: 'only the newest N entries' },
      { name: '--markdown', value: null, says: 'what changed, why it was allowed and what it cost' },
      { name: '--turn', value: null, says: 'with --markdown: only the last turn' },
    ],
  },
  { name: 'why', words: 'CALL', arity: [1, 1], says: 'explain which gate decided a call, and why' },
  { name: 'stats', words: '', arity: [0, 0], says: 'show counts, rates and durations' },
  {
    name: 'audit',
    words: 'verify [--since HASH]|export',
    arity: [1, 1],
    says: 'verify the log, or export its audit events',
    options: [
      { name: '--since', value: 'HASH', says: 'a head printed earlier, which has to be in the log still' },
    ],
  },
  {
    name: 'adopt',
    words: 'OLD',
    arity: [1, 1],
    says: 'go on with the history of a root that was renamed or moved here from OLD',
  },
  {
    name: 'repair',
    words: '',
    arity: [0, 0],
    says: 'rebuild what the log implies, and seal what is damaged in it, so that work can go on',
  },
  {
    name: 'forget',
    words: 'SESSION|CALL|--older-than DAYS',
    arity: [0, 1],
    says: 'erase recorded contents; the log still verifies',
    options: [{ name: '--older-than', value: 'DAYS', says: 'everything older than this' }],
  },
  { name: 'tools', words: '[NAME]', arity: [0, 1], says: 'list the tools, or show one with its schema' },
  {
    name: 'config',
    words: '[explain KEY|preset [NAME]|schema [--events]]',
    arity: [0, 2],
    says: 'show the effective settings and where each comes from',
    options: [{ name: '--events', value: null, says: 'with schema: of the events that run --json prints' }],
  },
  {
    name: 'trust',
    words: '',
    arity: [0, 0],
    says: "trust this project's configuration file and commands as they are now",
  },
  { name: 'rules', words: '', arity: [0, 0], says: 'list the rules in force, each as a sentence' },
  {
    name: 'policy',
    words: 'check FILE|-, policy replay',
    arity: [1, 2],
    says: 'judge a call without running it, or judge recorded calls again under the current configuration',
    options: [
      {
        name: '--exit-code',
        value: null,
        says: 'exit as the call would: 0 allowed, 3 denied, 4 needs approval, 1 failed',
      },
    ],
  },
  {
    name: 'grants',
    words: '[revoke ID]',
    arity: [0, 2],
    says: 'list or revoke what may run without asking, each as a sentence',
    options: [{ name: '--all', value: null, says: 'include expired and revoked grants' }],
  },
  { name: 'tasks', words: '', arity: [0, 0], says: 'list the tasks' },
  { name: 'doctor', words: '', arity: [0, 0], says: 'check versions, folders and sandboxing' },
  {
    name: 'mcp',
    words: '[list|add NAME [-- PROGRAM…]|remove NAME|trust NAME|login NAME|logout NAME]',
    arity: [0, Infinity],
    says: 'serve the tools over the Model Context Protocol; or manage the servers whose tools are used here',
    options: [
      { name: '--http', value: 'PORT', says: 'serve on this port of loopback, to clients with the token' },
      { name: '--url', value: 'URL', says: 'add a server at an address' },
      { name: '--env', value: 'NAME=VALUE', isRepeatable: true, says: 'a variable for its program' },
      { name: '--header', value: 'NAME=VALUE', isRepeatable: true, says: 'a header for its address' },
      { name: '--tool', value: 'GLOB', isRepeatable: true, says: 'use only these of its tools' },
      { name: '--read', value: 'PATH', isRepeatable: true, says: 'a path that its program may read' },
      { name: '--write', value: 'PATH', isRepeatable: true, says: 'a path that its program may write' },
      { name: '--network', value: null, says: 'give its program network' },
      { name: '--effect', value: 'EFFECT', says: 'read or external: what its tools do' },
    ],
  },
  {
    name: 'acp',
    words: '[setup]',
    arity: [0, 1],
    says: 'be the agent of an editor, over the Agent Client Protocol on standard input and output',
    options: MODEL_OPTIONS.filter(({ name }) => name !== '--continue'),
  },
  {
    name: 'completion',
    words: 'bash|zsh|fish',
    arity: [1, Infinity],
    says: 'print a script with which a shell completes commands, options, sessions, tools, keys and ids',
  },
  {
    name: 'demo',
    words: '',
    arity: [0, 0],
    says: 'take a short tour with real effects in a temporary folder',
  },
] as const satisfies readonly CommandSpec[]

/** The name of a command. */
export type CommandName = (typeof COMMANDS)[number]['name']
