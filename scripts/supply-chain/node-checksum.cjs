// Compares the pinned Node with its checksum. The lock file cannot: it covers the package that fetches Node, not Node.
'use strict'

const { createHash } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')

const CHUNK_BYTES = 1 << 20

/** Says what is wrong with the Node that `npm ci` installed in this folder; null if nothing is, or no checksum is known for the platform. */
function findNodeFault(top, platform = `${process.platform}-${process.arch}`) {
  const folder = path.join(top, 'node_modules', 'node')
  const name = platform.startsWith('win32') ? 'node.exe' : 'node'
  const binary = path.join(folder, 'bin', name)
  if (!fs.existsSync(binary)) return null
  const known = JSON.parse(fs.readFileSync(path.join(top, 'data', 'node-checksums.json'), 'utf8'))
  const { version } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'))
  if (known[version] === undefined) return `data/node-checksums.json has no checksums for Node ${version}`
  const expected = known[version][platform]
  if (expected === undefined) return null
  const found = sha256(binary)
  return found === expected
    ? null
    : `${binary} is not Node ${version} as it was published: its SHA-256 is ${found}, not ${expected}. Delete node_modules and run npm ci again; if that does not help, do not use it`
}

function sha256(file) {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const fd = fs.openSync(file, 'r')
  try {
    for (let count = fs.readSync(fd, chunk); count > 0; count = fs.readSync(fd, chunk))
      hash.update(chunk.subarray(0, count))
  } finally {
    fs.closeSync(fd)
  }
  return hash.digest('hex')
}

if (require.main === module) {
  const fault = findNodeFault(path.resolve(__dirname, '..', '..'))
  if (fault !== null) process.stderr.write(`tongs: ${fault}.\n`)
  process.exitCode = fault === null ? 0 : 1
}

module.exports = { findNodeFault }
