/** The longest summary in an approval prompt, in characters; the middle of longer ones is elided (FR-APR-06). */
export const SUMMARY_CHARS = 200

/** The default session of `call` and `batch`. */
export const USUAL_SESSION = 'cli'

/** The app offers to continue the last session if it was used within this time. */
export const RECENT_SESSION_MS = 24 * 60 * 60 * 1000

/** How long a process that was told to stop may take to finish a commit and release its session. */
export const DRAIN_MS = 5_000

/** The assumed width of a terminal that does not report it. */
export const USUAL_COLUMNS = 80

/** A second request to stop within this time quits the app. */
export const TWICE_MS = 2_000

/** A prompt accepts no answer until typing has paused for this long: a person who is still typing has not seen it. */
export const QUIET_MS = 350

/** How often to poll for answers from other processes: while prompting, while unattended, and right after answering. */
export const INBOX_POLL_MS = { attended: 150, unattended: 250, answering: 40 } as const

/** The number of the last refusal for a missing tool: from then on the runtime runs the tool itself. */
export const LAST_ESCALATION = 3

/** How much of a file is read to tell text from binary (FR-TOOL-READ-01). */
export const SNIFF_BYTES = 8_192

/** The most that is shown of what a command changed, and how many removed files are named before they are only counted. */
export const LAYER_DIFF_LIMITS = {
  chars: 262_144,
  namesChars: 131_072,
  removedFiles: 20,
  fileBytes: 8_388_608,
} as const

/** The most texts of a command's change that are checked. */
export const LAYER_CONTENT_LIMITS = { files: 400, bytes: 16_777_216 } as const

/** The most that the journal gets of the texts that one command changed, so that an undo can tell them from later edits. */
export const COPIED_TEXTS = { files: 400, fileBytes: 1_048_576, bytes: 8_388_608 } as const

/**
 * How often a running command's layer is looked at: the disk all the time, the layer itself when it has grown by a step, or
 * after a rest that keeps the looking a small part of the time. With less space than this left, a command that takes more
 * than that is stopped.
 */
export const LAYER_WATCH = {
  everyMs: 250,
  stepBytes: 67_108_864,
  restMs: 2_000,
  restPerCost: 20,
  leastFreeBytes: 134_217_728,
} as const

/** How many of the biggest folders an error names when a command has changed too much. */
export const LAYER_NAMED_FOLDERS = 5

/** Bytes assumed for one token of a model's context (FR-REG-04b). */
export const BYTES_PER_TOKEN = 4

/** The context window that is assumed, to compact in time, if nothing tells how large it is. */
export const ASSUMED_CONTEXT_TOKENS = 32_768

/** Where secrets are stored: denied to path tools while `tools.sandbox.include_default_denies` is true (FR-VAL-05). */
export const DEFAULT_DENIED_PATTERNS: readonly string[] = [
  '**/.ssh/**',
  '**/.gnupg/**',
  '**/.aws/**',
  '**/.azure/**',
  '**/.kube/**',
  '**/.config/gcloud/**',
  '**/.git/config',
  '**/.git/hooks/**',
  '**/.git-credentials',
  '**/.npmrc',
  '**/.pypirc',
  '**/.netrc',
  '**/.env',
  '**/.env.*',
  '**/id_rsa*',
  '**/id_ed25519*',
  '**/id_ecdsa*',
  '**/*.pem',
  '**/*.key',
  '**/*.p12',
  '**/*.pfx',
  '**/*.jks',
  '**/*.kdbx',
]

/** System files with keys and passwords, in case a root is wide enough to contain them. */
export const SYSTEM_SECRETS: readonly string[] = [
  '/etc/{shadow,gshadow,sudoers,master.passwd}{,-,.*}',
  '/etc/{sudoers.d,ssh,ssl/private}/**',
  '/proc/**',
]

/**
 * Exceptions from the pattern for environment files: by convention these only show which variables a real file would
 * set, and contain no secret.
 */
export const SAMPLE_ENVIRONMENT = /^\.env\.(?:.+\.)?(?:example|sample|template|dist|defaults)$/

/** The variables that a child process inherits, before `tools.environment.allow` adds to them. */
export const CHILD_ENVIRONMENT: readonly string[] = [
  'PATH',
  'HOME',
  'LANG',
  'LC_*',
  'TMPDIR',
  'USER',
  'SHELL',
]

/** Variables that are set for every child process. */
export const CHILD_ENVIRONMENT_FIXED: Readonly<Record<string, string>> = { TERM: 'dumb' }

/** Variables that change what a program loads or which identity it uses: never passed on. */
export const CHILD_ENVIRONMENT_NEVER: readonly string[] = [
  'LD_*',
  'DYLD_*',
  'NODE_OPTIONS',
  'BASH_ENV',
  'ENV',
  'PYTHONSTARTUP',
  'PERL5OPT',
  'GIT_*',
  'BASH_FUNC_*',
  'SSH_AUTH_SOCK',
]

/** How many changes of a command a question or a result lists; a longer list helps nobody to decide. */
export const LISTED_CHANGES = 1_000

/** How many files a workspace may have to be copied for a command where no overlay can be mounted. */
export const COPIED_FILES = 200_000

/**
 * Commands that are files: the size of one, how many files and folders of a place are looked at and how deep, the prompt
 * that one may become, and how much of its description is shown.
 */
export const PROMPT_FILE_LIMITS = {
  fileBytes: 65_536,
  files: 200,
  depth: 4,
  promptChars: 262_144,
  shownChars: 120,
} as const

/**
 * Skills: the size of a file, how many names of a place are looked at, the longest name and description as the public
 * format has them, and what the instructions list of them.
 */
export const SKILL_LIMITS = {
  fileBytes: 65_536,
  folders: 200,
  nameChars: 64,
  descriptionChars: 1_024,
  listed: 32,
  listedChars: 300,
  listedBytes: 6_144,
} as const

/**
 * Commands in the background: how long a start waits for first output, how much of a stream is kept that no one asked
 * for, and how many commands are remembered, with those that have ended.
 */
export const BACKGROUND_LIMITS = { firstOutputMs: 2_000, unreadChars: 65_536, remembered: 32 } as const

/**
 * Attachments: how many a request contains, and how many bytes of them, before those that the model has seen are left
 * out; providers refuse more, or shrink the pictures. And how many files of one prompt are attached.
 */
export const ATTACHMENT_LIMITS = { shown: 20, shownBytes: 15_000_000, inPrompt: 20 } as const
