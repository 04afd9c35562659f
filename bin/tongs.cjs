#!/usr/bin/env node
// The entry point: plain CommonJS, because it starts faster than a module and still parses on a Node that is too old for the rest.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const OLDEST_NODE = 24
const HELP = new Set(['--help', '-h', 'help'])
const top = path.join(__dirname, '..')

start(process.argv.slice(2))

function start(argv) {
  if (isVersionQuestion(argv)) {
    print(versionText(argv.includes('--json')))
  } else if (isHelpQuestion(argv) && hasHelp(argv)) {
    print(helpText(argv))
  } else if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
    fail(
      `needs Node ${OLDEST_NODE} or newer; this is ${process.versions.node} (${process.execPath}). ` +
        "Install a newer one; in a checkout 'npm ci' (without --ignore-scripts) installs it, and bin/tongs finds it.",
    )
  } else {
    run(isHelpQuestion(argv) ? argv.filter((word) => !HELP.has(word)) : argv)
  }
}

function isVersionQuestion(argv) {
  return (
    (argv.includes('--version') || argv.includes('-V')) &&
    argv.every((word) => word === '--version' || word === '-V' || word === '--json')
  )
}

function isHelpQuestion(argv) {
  const words = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  return words.includes('--help') || words.includes('-h') || argv[0] === 'help'
}

/** The command that a line asks about; undefined if it asks about all. */
function commandIn(argv) {
  const named = argv.find((word) => !HELP.has(word))
  return named === undefined || named.startsWith('-') ? undefined : named
}

/** Whether there is such a command; if not, that is said as ever. */
function hasHelp(argv) {
  const named = commandIn(argv)
  return named === undefined || Object.hasOwn(readCommands(), named)
}

function helpText(argv) {
  const named = commandIn(argv)
  return named === undefined ? readHelp('help.txt') : readCommands()[named]
}

function readCommands() {
  return JSON.parse(readHelp('help-commands.json'))
}

function readHelp(name) {
  return fs.readFileSync(path.join(__dirname, name), 'utf8')
}

function versionText(isJson) {
  const about = JSON.parse(fs.readFileSync(path.join(top, 'package.json'), 'utf8'))
  const { name, version } = about
  if (!isJson) return `${name} ${version}\n`
  return `${JSON.stringify({ name, version, contract: about.tongs.contract, node: process.versions.node })}\n`
}

/** Writes without creating the stream, which would cost as much as everything else here. */
function print(text) {
  try {
    fs.writeSync(1, text)
  } catch (error) {
    if (error.code === 'EAGAIN') process.stdout.write(text)
    else if (error.code !== 'EPIPE') fail(`cannot write the output: ${error.message}`, 1)
  }
}

function run(argv) {
  // Node would open a debugger that runs whatever it is told.
  process.on('SIGUSR1', () => {})
  // A reader that closed the pipe (`| head -1`) must neither cause a stack trace nor stop a call in the middle.
  let isOutputLost = false
  onceStdoutIsUsed((stdout) =>
    stdout.on('error', (error) => {
      if (error.code === 'EPIPE' || isOutputLost) return
      isOutputLost = true
      fail(`cannot write the output: ${error.message}`, 1)
    }),
  )
  loadMain(argv)
    .then(async ({ main, keepCode }) => {
      const exitCode = await main(argv, true)
      process.exitCode = isOutputLost && exitCode === 0 ? 1 : exitCode
      // What failed may not have called much.
      if (exitCode === 0 && keepCode !== undefined) process.once('exit', keepCode)
    })
    .catch((error) => {
      if (error && error.code === 'EPIPE') return
      if (error && (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND')) {
        fail(`a file is missing (${error.message}). Run 'npm ci' in ${path.resolve(top)}.`)
      } else {
        fail(`internal error: ${(error && error.stack) || error}`, 1)
      }
    })
    .finally(() => process.once('exit', letGoOfOutput))
}

/**
 * The package for system calls syncs stdout and stderr as the process ends, and waits for itself for ever if the disk
 * behind them refuses. So once everything is said, they are nothing that can be synced.
 */
function letGoOfOutput() {
  if (!Object.keys(require.cache).some((file) => path.basename(file) === 'koffi.node')) return
  for (const output of [1, 2]) {
    try {
      fs.closeSync(output)
      // The lowest number that is free, which is this one.
      fs.openSync('/dev/null', 'w')
    } catch {
      // What cannot be closed or opened is not worth an error at the very end.
    }
  }
}

/** Runs `prepare` when stdout is first used: creating the stream is slow, and many commands never need it. */
function onceStdoutIsUsed(prepare) {
  const { get } = Object.getOwnPropertyDescriptor(process, 'stdout')
  Object.defineProperty(process, 'stdout', {
    configurable: true,
    enumerable: true,
    get() {
      const stdout = get.call(process)
      Object.defineProperty(process, 'stdout', { configurable: true, enumerable: true, value: stdout })
      prepare(stdout)
      return stdout
    },
  })
}

/** Loads the bundle if it matches the sources, else the sources; an installed package has only the bundle. */
async function loadMain(argv) {
  const sources = path.join(top, 'src')
  const bundle = bundleOf(sources)
  if (bundle === null) return import(require('node:url').pathToFileURL(path.join(sources, 'tongs.ts')).href)
  const cache = { place: codePlace(), kind: kindOf(argv), isOursAlone }
  return require('./load-bundle.cjs').loadBundle(bundle, cache)
}

/** Commands of a kind call much the same functions. Unusual words share one, so that there are not many. */
function kindOf(argv) {
  const words = argv.slice(0, argv[0] === 'call' ? 2 : 1)
  return words.every((word) => /^[a-z][a-z0-9_-]{0,40}$/.test(word)) ? words.join(' ') : ''
}

/** The folder of the current bundle. Each build has one of its own, so that commands that run go on with theirs. */
function bundleOf(sources) {
  try {
    const folder = path.join(top, 'dist', 'cli')
    const [signature, build, ...names] = fs.readFileSync(path.join(folder, 'signature'), 'utf8').split('\n')
    if (fs.existsSync(sources) && signature !== require('./signature.cjs').signatureOf(sources, names))
      return null
    return path.join(folder, build)
  } catch {
    return null
  }
}

/**
 * Where compiled code is kept, and the key that seals it; null if anything about that folder is odd. Node's own cache of
 * compiled code has no seal, so it is not used; if the environment names one, that is the user's choice, and it is all.
 */
function codePlace() {
  try {
    const state = stateFolder()
    const { NODE_COMPILE_CACHE, NODE_DISABLE_COMPILE_CACHE } = process.env
    if (state === null || NODE_COMPILE_CACHE || NODE_DISABLE_COMPILE_CACHE || isInWorkspace(state))
      return null
    const above = path.join(state, 'compile-cache')
    if (isLoose(firstMissing(above))) return null
    fs.mkdirSync(above, { recursive: true, mode: 0o700 })
    if (!isFolderOfOurs(above) || isLoose(fs.realpathSync(above))) return null
    const folder = path.join(above, 'tongs')
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 })
    return isFolderOfOurs(folder) ? { folder, keyFile: path.join(state, 'key') } : null
  } catch {
    // Only speed is lost.
    return null
  }
}

/** A path in the last folder on the way that exists, without links: in the home of another user, nothing is made. */
function firstMissing(folder) {
  let at = folder
  while (!fs.existsSync(at)) at = path.dirname(at)
  return path.join(fs.realpathSync(at), 'new')
}

/** There, tools could plant code in it. */
function isInWorkspace(folder) {
  return folder.startsWith(path.join(process.cwd(), path.sep))
}

function isFolderOfOurs(folder) {
  const stats = fs.lstatSync(folder)
  return stats.isDirectory() && isOursAlone(stats)
}

/** Whether other users could put another folder in the place of this one, whose path has no links; `findLooseFolder` says more. */
function isLoose(folder) {
  if (process.geteuid === undefined) return false
  const trusted = new Set([0, process.geteuid(), fs.lstatSync('/').uid])
  for (let at = path.dirname(folder); ; at = path.dirname(at)) {
    const { uid, gid, mode } = fs.lstatSync(at)
    const isOpen = (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== 0 && gid !== process.getegid())
    if (!trusted.has(uid) || (isOpen && (mode & 0o1000) === 0)) return true
    if (at === path.dirname(at)) return false
  }
}

function stateFolder() {
  const { TONGS_STATE_DIR, XDG_STATE_HOME, HOME, USERPROFILE } = process.env
  const home = HOME || USERPROFILE || ''
  const xdg = XDG_STATE_HOME && path.join(XDG_STATE_HOME, 'tongs')
  const usual = home && path.join(home, '.local', 'state', 'tongs')
  const found = (TONGS_STATE_DIR ? [TONGS_STATE_DIR] : [xdg, usual]).find(
    (place) => place && path.isAbsolute(place),
  )
  return found ?? null
}

/** Code that another user could have written there would be run with our rights. */
function isOursAlone(stats) {
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o022) === 0)
}

function fail(message, exitCode = 2) {
  const shown = `tongs: ${message}\n`.replace(
    /[^\n\x20-\x7e]/gu,
    (char) => `\\u{${char.codePointAt(0).toString(16)}}`,
  )
  process.exitCode = exitCode
  try {
    fs.writeSync(2, shown)
  } catch {
    // Stderr is closed.
  }
}
