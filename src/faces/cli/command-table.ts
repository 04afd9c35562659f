import type { CommandSpec, OptionSpec } from './arguments.ts'

/** The options every command takes. */
export const COMMON_OPTIONS: readonly OptionSpec[] = [
  {
    name: '--root',
    value: 'DIR',
    says: 'the folder to work in (default: the nearest one upward with .git, else this one)',
  },
  { name: '--session', value: 'NAME', says: 'the session (default: cli)' },
  { name: '--config', value: 'FILE', says: 'a further configuration file' },
  { name: '--profile', value: 'NAME', says: 'agent or strict' },
  { name: '--preset', value: 'NAME', says: 'plan, ask, edits or auto: how much may happen without asking' },
  { name: '--set', value: 'KEY=VALUE', isRepeatable: true, says: 'one setting; may be repeated' },
  { name: '--yes', value: null, says: 'answer every question with "once"' },
  { name: '--no-input', value: null, says: 'there is nobody to ask' },
  { name: '--dry-run', value: null, says: 'show what would happen, change nothing' },
  { name: '--json', value: null, says: 'answer in JSON' },
]

/** The options of the commands that talk to a model. */
export const MODEL_OPTIONS: readonly OptionSpec[] = [
  {
    name: '--model',
    value: 'MODEL',
    says: 'anthropic/…, openai/…, google/…, compatible/…, or script:FILE',
  },
  { name: '--base-url', value: 'URL', says: 'where a compatible server listens' },
  { name: '--protocol', value: 'WAY', says: 'native, fenced or auto' },
  { name: '--continue', value: null, says: 'go on with the newest session, or with answered approvals' },
  { name: '--max-tokens', value: 'N', says: 'stop after this many tokens' },
  { name: '--max-cost', value: 'N', says: 'stop at this cost, by model.prices' },
  { name: '--max-seconds', value: 'N', says: 'stop after this many seconds' },
]

/** Every command, in the order of the help. */
export const COMMANDS = [
  {
    name: 'app',
    words: '',
    arity: [0, 0],
    says: 'the terminal app, also without the word; in a pipe, the demo',
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
    says: 'one user turn with a model; - reads the prompt from stdin',
    options: MODEL_OPTIONS,
  },
  {
    name: 'recover',
    words: '[--resume|--discard]',
    arity: [0, 0],
    says: 'what an interrupted batch left, and what to do with it',
    options: [
      { name: '--resume', value: null, says: 'keep what finished' },
      { name: '--discard', value: null, says: 'mark all of it failed' },
    ],
  },
  { name: 'pending', words: '', arity: [0, 0], says: 'questions that wait for an answer' },
  {
    name: 'approve',
    words: 'ID…|all [--for SECONDS] [--scope SCOPE]',
    arity: [1, Infinity],
    says: 'let waiting calls run, once, or for longer',
    options: [
      { name: '--for', value: 'SECONDS', says: 'and do not ask again for so long' },
      {
        name: '--scope',
        value: 'SCOPE',
        says: 'and do not ask again about tool, arguments, path:GLOB or command:WORDS',
      },
    ],
  },
  {
    name: 'deny',
    words: 'ID…|all [--say TEXT]',
    arity: [1, Infinity],
    says: 'refuse waiting calls, with words for the model',
    options: [{ name: '--say', value: 'TEXT', says: 'words for the model' }],
  },
  {
    name: 'undo',
    words: '[CALL…|--last N|--turn]',
    arity: [0, Infinity],
    says: 'take back committed changes, all files or none',
    options: [
      { name: '--last', value: 'N', says: 'the newest N calls' },
      { name: '--turn', value: null, says: 'the whole newest turn' },
    ],
  },
  { name: 'redo', words: '', arity: [0, 0], says: 'take back the newest undo' },
  { name: 'log', words: '', arity: [0, 0], says: 'what happened' },
  { name: 'why', words: 'CALL', arity: [1, 1], says: 'which gate decided about a call, and on what' },
  { name: 'stats', words: '', arity: [0, 0], says: 'counts, rates and durations' },
  { name: 'audit', words: 'verify|export', arity: [1, 1], says: 'check the log; print its audit events' },
  {
    name: 'forget',
    words: 'SESSION|CALL|--older-than DAYS',
    arity: [0, 1],
    says: 'erase recorded contents; the log still verifies',
    options: [{ name: '--older-than', value: 'DAYS', says: 'everything older than that' }],
  },
  { name: 'tools', words: '[NAME]', arity: [0, 1], says: 'the tools and their schemas' },
  {
    name: 'config',
    words: '[explain KEY|preset [NAME]|schema]',
    arity: [0, 2],
    says: 'effective settings and where each comes from',
  },
  { name: 'trust', words: '', arity: [0, 0], says: "trust this project's configuration file as it is now" },
  { name: 'rules', words: '', arity: [0, 0], says: 'the rules in force, each as a sentence' },
  {
    name: 'policy',
    words: 'check FILE|-, policy replay',
    arity: [1, 2],
    says: 'judge a call without running it; judge recorded calls again by the configuration of now',
    options: [
      {
        name: '--exit-code',
        value: null,
        says: 'check exits as the call would: 0, 3 denied, 4 asked about, 1 failed',
      },
    ],
  },
  {
    name: 'grants',
    words: '[revoke ID]',
    arity: [0, 2],
    says: 'what may run without a question, each as a sentence',
    options: [{ name: '--all', value: null, says: 'also what has expired or was revoked' }],
  },
  { name: 'tasks', words: '', arity: [0, 0], says: 'what is to be done' },
  { name: 'doctor', words: '', arity: [0, 0], says: 'versions, folders, and what protects you here' },
  { name: 'demo', words: '', arity: [0, 0], says: 'a short tour with real effects in a temporary folder' },
] as const satisfies readonly CommandSpec[]

/** The name of a command. */
export type CommandName = (typeof COMMANDS)[number]['name']
