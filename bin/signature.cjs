// Tells whether some sources are still those that something was built from: sizes and times, no contents.
'use strict'

const fs = require('node:fs')

/** Throws where one of them is gone. Asked before every command, so paths are put together by hand. */
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
