// Loads the bundle with the compiled code that earlier commands of the same kind left. Node's own cache holds only what
// was compiled before a file ran; this one is taken afterwards, so it has the functions that the command really calls.
'use strict'

const { hash, timingSafeEqual } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')
const { crc32 } = require('node:zlib')

const MOST_FILES = 24
const MOST_BYTES = 16 * 1024 * 1024
const HOUR_MS = 3_600_000
/** As long as a replaced build stays. */
const KEPT_MS = 7 * 24 * HOUR_MS
const KEY_BYTES = 32
const BLOCK_BYTES = 64
/** Sets these seals apart from all others of the key. */
const PURPOSE = Buffer.from('tongs code 1\n')
const SEAL_BYTES = 32
/** The length of the index, and its seal. */
const HEADER_BYTES = 4 + SEAL_BYTES

/**
 * The bundle's `main`, and `keepCode`, which stores what was compiled if the cache lacks it. Storing takes as long as a
 * short command, so call it after the answer is written. Each kind of command has a file of its own: code that others
 * call would only make it slower to read. Without a place nothing is cached.
 *
 * Code is run with all rights and before anything else is checked, so it is believed only with a seal that needs the key
 * of the state folder; without the key nothing is read. The first command makes the key, and so can keep its code.
 */
exports.loadBundle = function loadBundle(bundle, { place, kind, isOursAlone }) {
  const about = `${process.version}\n${bundle}\n${kind}`
  const file = place === null ? null : path.join(place.folder, crc32(about).toString(16).padStart(8, '0'))
  const cached = file === null ? new Map() : readCache(file, { about, keyFile: place.keyFile, isOursAlone })
  const chunks = new Map()

  function load(name) {
    const known = chunks.get(name)
    if (known !== undefined) return known.module.exports
    const filename = path.join(bundle, name)
    const chunk = { ...compile(filename, cached.get(name)), module: { exports: {} } }
    const { module } = chunk
    chunks.set(name, chunk)
    // Several megabytes that stay alive make V8 clean up in the middle of the command.
    cached.delete(name)
    const run = chunk.script.runInThisContext()
    try {
      run.call(module.exports, module.exports, requireFrom, module, filename, bundle, importPackage)
    } catch (error) {
      chunks.delete(name)
      throw error
    }
    return module.exports
  }
  function requireFrom(id) {
    return id.startsWith('./') ? load(id.slice(2)) : require(id)
  }
  function keepCode() {
    if (file === null || [...chunks.values()].every(({ isCached }) => isCached)) return
    try {
      const key = readKey(place.keyFile, isOursAlone)
      removeUnsealed(path.dirname(place.folder))
      writeCache(file, () => {
        for (const [name, { script, sum }] of chunks)
          cached.set(name, { sum, code: script.createCachedData() })
        return encode(key, about, cached)
      })
    } catch {
      // Only speed is lost.
    }
  }
  return { main: load('main.cjs').main, keepCode }
}

/** What the bundle has for `import()` of a package: in a script, Node would warn that this is experimental. */
function importPackage(name) {
  return import(name)
}

/** As Node compiles CommonJS. The wrapper has a line of its own that is not counted, so that stack traces are right. */
function compile(filename, cached) {
  const source = readSource(filename)
  const sum = crc32(source)
  const cachedData = cached?.sum === sum ? cached.code : undefined
  const script = new vm.Script(
    `(function (exports, require, module, __filename, __dirname, importPackage) {\n${source.utf8Slice()}\n})`,
    {
      filename,
      lineOffset: -1,
      cachedData,
      importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    },
  )
  return { script, sum, isCached: cachedData !== undefined && script.cachedDataRejected !== true }
}

function readSource(filename) {
  try {
    return fs.readFileSync(filename)
  } catch (error) {
    if (error.code === 'ENOENT') error.code = 'MODULE_NOT_FOUND'
    throw error
  }
}

/** The code of each chunk; none if there is no file, if another user could have written it, or if we did not. */
function readCache(file, { about, keyFile, isOursAlone }) {
  try {
    return readOurs(file, isOursAlone, (descriptor, { size }) => {
      if (size > MOST_BYTES) throw new Error('too long')
      return decode(descriptor, readKey(keyFile, isOursAlone), about)
    })
  } catch {
    // It is compiled again.
    return new Map()
  }
}

function readKey(file, isOursAlone) {
  return readOurs(file, isOursAlone, (descriptor, { size }) => {
    if (size !== KEY_BYTES) throw new Error('no key')
    return readNext(descriptor, KEY_BYTES)
  })
}

/** Reads a regular file that no one else can write: the very one that was looked at, so that it cannot be exchanged in between. */
function readOurs(file, isOursAlone, read) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants
  const descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const stats = fs.fstatSync(descriptor)
    if (!stats.isFile() || !isOursAlone(stats)) throw new Error('not ours')
    return read(descriptor, stats)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** The index has a seal, and in it is the digest of each code. V8 itself checks its version, its options and the length of the source. */
function decode(descriptor, key, about) {
  const header = readNext(descriptor, HEADER_BYTES)
  const text = readNext(descriptor, header.readUInt32LE(0))
  if (!timingSafeEqual(header.subarray(4), sealOf(key, text))) throw new Error('not sealed by us')
  const index = JSON.parse(text.utf8Slice())
  if (index.about !== about) throw new Error('of another kind')
  const read = ([name, sum, length, digest]) => {
    const code = readNext(descriptor, length)
    if (hash('sha256', code) !== digest) throw new Error('damaged')
    return [name, { sum, code }]
  }
  return new Map(index.chunks.map(read))
}

function readNext(descriptor, length) {
  if (length > MOST_BYTES) throw new Error('too long')
  const bytes = Buffer.allocUnsafeSlow(length)
  if (fs.readSync(descriptor, bytes) !== length) throw new Error('cut short')
  return bytes
}

/** HMAC by two plain hashes, as `seal` in the sources; making a hashing object takes longer than both. */
function sealOf(key, text) {
  const block = Buffer.alloc(BLOCK_BYTES)
  key.copy(block)
  const padded = (pad) => block.map((byte) => byte ^ pad)
  const mixed = hash('sha256', Buffer.concat([padded(0x36), PURPOSE, text]), 'buffer')
  return hash('sha256', Buffer.concat([padded(0x5c), mixed]), 'buffer')
}

function encode(key, about, codes) {
  const chunks = Array.from(codes, ([name, { sum, code }]) => [name, sum, code.length, hash('sha256', code)])
  const index = Buffer.from(JSON.stringify({ about, chunks }))
  const length = Buffer.alloc(HEADER_BYTES - SEAL_BYTES)
  length.writeUInt32LE(index.length, 0)
  return Buffer.concat([length, sealOf(key, index), index, ...Array.from(codes.values(), ({ code }) => code)])
}

/** What earlier versions had Node keep beside the folder of ours; nothing reads it any more. */
function removeUnsealed(folder) {
  for (const name of fs.readdirSync(folder))
    if (/^v\d/.test(name)) fs.rmSync(path.join(folder, name), { recursive: true, force: true })
}

/** Makes the content last, because that takes longest and is for nothing where the file cannot be created. */
function writeCache(file, makeContent) {
  if (!makeRoom(path.dirname(file), file)) return
  const next = `${file}.${process.pid}`
  const descriptor = fs.openSync(next, 'wx', 0o600)
  try {
    const content = makeContent()
    if (content.length > MOST_BYTES) throw new Error('too large')
    fs.writeFileSync(descriptor, content)
    fs.renameSync(next, file)
  } catch {
    fs.unlinkSync(next)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Removes old files. If too many are in use it refuses, or else commands would take turns at replacing each other's. */
function makeRoom(folder, file) {
  const now = Date.now()
  const others = fs
    .readdirSync(folder)
    .filter((name) => name !== path.basename(file))
    .map((name) => ({ name, age: now - fs.statSync(path.join(folder, name)).mtimeMs }))
    .toSorted((one, other) => one.age - other.age)
  const removed = others.filter(({ age }, newer) => age > (newer < MOST_FILES - 1 ? KEPT_MS : HOUR_MS))
  for (const { name } of removed) fs.unlinkSync(path.join(folder, name))
  return others.length - removed.length < MOST_FILES
}
