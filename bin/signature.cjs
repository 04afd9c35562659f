// Tells whether a folder of sources is still the one something was built from: names, sizes and times, no contents.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

exports.signatureOf = function signatureOf(folder) {
  let count = 0
  let size = 0
  let newest = 0
  const folders = [folder]
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
      const whole = path.join(at, entry.name)
      if (entry.isDirectory()) {
        folders.push(whole)
        continue
      }
      const stats = fs.statSync(whole)
      count += 1
      size += stats.size
      newest = Math.max(newest, stats.mtimeMs)
    }
  }
  return `${count} ${size} ${newest}`
}
