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
    // Plain names and paths put together by hand: this is looked at before every command.
    for (const name of fs.readdirSync(at)) {
      const whole = at + path.sep + name
      const stats = fs.statSync(whole)
      if (stats.isDirectory()) {
        folders.push(whole)
        continue
      }
      count += 1
      size += stats.size
      newest = Math.max(newest, stats.mtimeMs)
    }
  }
  return `${count} ${size} ${newest}`
}
