// Loads the bundle with the compiled code that earlier commands of the same kind left. Node's own cache holds only what
// was compiled before a file ran; this one is taken afterwards, so it has the functions that the command really calls.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const vm = require('node:vm')
const { crc32 } = require('node:zlib')

const MOST_FILES = 24
const MOST_BYTES = 16 * 1024 * 1024
const HOUR_MS = 3_600_000
/** As long as a replaced build stays. */
const KEPT_MS = 7 * 24 * HOUR_MS
/** The length of the index, and its checksum. */
const HEADER_BYTES = 8

/**
 * The bundle's `main`, and `keepCode`, which stores what was compiled if the cache lacks it. Storing takes as long as a
 * short command, so call it after the answer is written. Each kind of command has a file of its own: code that others
 * call would only make it slower to read. Without a folder nothing is cached.
 */
exports.loadBundle = function loadBundle(bundle, { folder, kind, isOursAlone }) {
  const key = `${bundle}\n${kind}`
  const file = folder === null ? null : path.join(folder, crc32(key).toString(16).padStart(8, '0'))
  const cached = file === null ? new Map() : readCache(file, key, isOursAlone)
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
      writeCache(file, () => {
        for (const [name, { script, sum }] of chunks)
          cached.set(name, { sum, code: script.createCachedData() })
        return encode(key, cached)
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

/** The code of each chunk; none if there is no file, if another user could have written it, or if it is damaged. */
function readCache(file, key, isOursAlone) {
  let descriptor = null
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    // The very file that is read, so that it cannot be exchanged in between.
    const stats = fs.fstatSync(descriptor)
    if (stats.isFile() && stats.size <= MOST_BYTES && isOursAlone(stats)) return decode(descriptor, key)
  } catch {
    // It is compiled again.
  } finally {
    if (descriptor !== null) fs.closeSync(descriptor)
  }
  return new Map()
}

/** V8 itself checks its version, its options and the length of the source, but not that the code is undamaged. */
function decode(descriptor, key) {
  const header = readNext(descriptor, HEADER_BYTES)
  const index = JSON.parse(
    checked(readNext(descriptor, header.readUInt32LE(0)), header.readUInt32LE(4)).utf8Slice(),
  )
  if (index.key !== key) throw new Error('of another kind')
  const read = ([name, sum, length, codeSum]) => [
    name,
    { sum, code: checked(readNext(descriptor, length), codeSum) },
  ]
  return new Map(index.chunks.map(read))
}

function readNext(descriptor, length) {
  if (length > MOST_BYTES) throw new Error('too long')
  const bytes = Buffer.allocUnsafeSlow(length)
  if (fs.readSync(descriptor, bytes) !== length) throw new Error('cut short')
  return bytes
}

function checked(bytes, sum) {
  if (crc32(bytes) !== sum) throw new Error('damaged')
  return bytes
}

function encode(key, codes) {
  const chunks = Array.from(codes, ([name, { sum, code }]) => [name, sum, code.length, crc32(code)])
  const index = Buffer.from(JSON.stringify({ key, chunks }))
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt32LE(index.length, 0)
  header.writeUInt32LE(crc32(index), 4)
  return Buffer.concat([header, index, ...Array.from(codes.values(), ({ code }) => code)])
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
