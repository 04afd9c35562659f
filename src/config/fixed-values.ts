/** The longest summary in a question to a person, in characters; longer ones end in an ellipsis (FR-APR-06). */
export const SUMMARY_CHARS = 200

/** The session that is meant where none is named, on the command line and in the app. */
export const USUAL_SESSION = 'cli'

/** How long a process that was told to end may take to finish a commit and give its session up. */
export const DRAIN_MS = 5_000

/** How wide a terminal is taken to be that does not tell. */
export const USUAL_COLUMNS = 80

/** A second request to stop within this time leaves the app. */
export const TWICE_MS = 2_000

/** A prompt accepts no answer until typing has paused for this long: a person who is still typing has not seen it. */
export const QUIET_MS = 350

/** How often to poll for answers from other processes: while prompting, while unattended, and right after answering. */
export const INBOX_POLL_MS = { attended: 150, unattended: 250, answering: 40 } as const

/** Which refusal for something that must come first is the last: from then on the runtime does it itself. */
export const LAST_ESCALATION = 3

/** How much of a file is looked at to tell text from binary (FR-TOOL-READ-01). */
export const SNIFF_BYTES = 8_192

/** Bytes reckoned for one token of a model's context (FR-REG-04b). */
export const BYTES_PER_TOKEN = 4

/** Where secrets live: denied to path tools while `tools.sandbox.include_default_denies` is true (FR-VAL-05). */
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

/** Files of the system that hold keys and passwords, should a root be so wide that it holds them. */
export const SYSTEM_SECRETS: readonly string[] = [
  '/etc/{shadow,gshadow,sudoers,master.passwd}{,-,.*}',
  '/etc/{sudoers.d,ssh,ssl/private}/**',
  '/proc/**',
]

/** Names that the pattern of environment files does not mean: by custom they show which variables a real file would set, and hold no secret. */
export const SAMPLE_ENVIRONMENT = /^\.env\.(?:.+\.)?(?:example|sample|template|dist|defaults)$/

/** The variables that a child process is given from ours, before `tools.environment.allow` adds to them. */
export const CHILD_ENVIRONMENT: readonly string[] = [
  'PATH',
  'HOME',
  'LANG',
  'LC_*',
  'TMPDIR',
  'USER',
  'SHELL',
]

/** Variables that a child is given with a value of ours. */
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
