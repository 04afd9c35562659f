/**
 * The program of an isolated tool's process. It is a string, because the process is started from sources, from a bundle
 * and from an installed package, and no file has the same path in all of them.
 *
 * It reads one line of JSON from stdin, sets its limits, loads the module, and writes one line of JSON to its fourth
 * descriptor. When stdin ends, its parent is gone, so it removes its folder and exits.
 */
export const RUNNER_CODE = `
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const { exit } = process
const folder = process.cwd()

function answer(value) {
  const bytes = Buffer.from(write(value) + '\\n')
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(3, bytes, at)
    } catch (error) {
      if (error.code !== 'EAGAIN') break
    }
  }
  exit(0)
}

function write(value) {
  try {
    return JSON.stringify(value)
  } catch (error) {
    return JSON.stringify(describe(error))
  }
}

function describe(thrown) {
  const stack = String(thrown?.stack ?? '')
  if (thrown?.name === 'ToolFailure' && typeof thrown.error?.code === 'string') return { is: 'failed', error: thrown.error, stack }
  const message = String(thrown?.message ?? thrown)
  const isMemory = thrown?.code === 'ERR_MEMORY_ALLOCATION_FAILED' || /allocation failed|could not allocate memory/i.test(message)
  if (isMemory) return { is: 'exhausted' }
  return { is: 'threw', name: String(thrown?.name ?? typeof thrown), message, stack }
}

function setLimits({ memoryBytes, cpuSeconds, prlimit }) {
  if (prlimit === null || !existsSync('/proc/self/status')) return
  const own = /^VmData:\\s+(\\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))
  const most = Number(own?.[1] ?? 0) * 1024 + memoryBytes
  const limits = ['--core=0', '--cpu=' + cpuSeconds + ':' + (cpuSeconds + 1), ...(own === null ? [] : ['--data=' + most])]
  execFileSync(prlimit, ['--pid', String(process.pid), ...limits], { stdio: 'ignore' })
}

async function run({ module, name, args, context, limits }) {
  try {
    setLimits(limits)
  } catch (error) {
    return answer({ is: 'unlimited', message: String(error.message) })
  }
  try {
    const loaded = await import(/^file:/.test(module) ? module : pathToFileURL(module).href)
    if (typeof loaded[name] !== 'function') throw new TypeError('its module exports no function named ' + name)
    answer({ is: 'finished', output: await loaded[name](args, context) })
  } catch (thrown) {
    answer(describe(thrown))
  }
}

process.on('uncaughtException', (thrown) => answer(describe(thrown)))
let text = ''
let isRunning = false
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  if (isRunning) return
  text += chunk
  if (!text.endsWith('\\n')) return
  isRunning = true
  process.stdin.unref()
  run(JSON.parse(text))
})
process.stdin.on('end', () => {
  rmSync(folder, { recursive: true, force: true })
  exit(1)
})
`
