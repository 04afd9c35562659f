// Identifies sources by their sizes and times, to see whether a build still matches them.
'use strict'

const fs = require('node:fs')

/** Throws if one of them is missing. Runs before every command, so paths are joined by hand. */
exports.signatureOf = function signatureOf(folder, names) {
  let size = 0
  let newest = 0
  for (const name of names) {
    const stats = fs.statSync(`${folder}/${name}`)
    size += stats.size
    newest = Math.max(newest, stats.mtimeMs)
  }
  return `${size} ${newest}`
}
