// What isolated tools of the tests do, each under its own name.
import { writeSync } from 'node:fs'
import { spawn } from 'node:child_process'

export const run = ({ word }, context) => ({ said: `${word} ${Object.keys(context).join(' ')}` })

export const loop = () => {
  for (;;);
}

export const wait = () => new Promise(() => setInterval(() => undefined, 1000))

export const forget = () => new Promise(() => undefined)

export const grow = () => {
  const kept = []
  for (let n = 0; ; n++) kept.push({ n, text: `text ${n}` })
}

export const buffer = () => {
  const kept = []
  for (;;) kept.push(Buffer.alloc(4 << 20, 1))
}

export const fail = () => {
  throw Object.assign(new Error('no such page'), {
    name: 'ToolFailure',
    error: { code: 'execution_failed', message: 'no such page', details: { page: 3 }, recovery: ['Try 2.'] },
  })
}

export const lie = () => {
  throw Object.assign(new Error('x'), { name: 'ToolFailure', error: { code: 'made_up', message: 'x' } })
}

export const crash = () => {
  throw new RangeError('boom in the module')
}

export const later = () => {
  setTimeout(() => {
    throw new RangeError('boom much later')
  }, 1)
  return wait()
}

export const leave = () => process.exit(7)

export const die = () => process.kill(process.pid, 'SIGSEGV')

export const circle = () => {
  const own = {}
  own.own = own
  return own
}

export const look = () => ({
  said: JSON.stringify({ cwd: process.cwd(), env: process.env, argv: process.argv.length }),
})

export const talk = () => {
  process.stdout.write('out\n')
  process.stderr.write('err\n')
  return { said: '' }
}

export const forge = () => {
  writeSync(3, 'no JSON at all\n')
  loop()
}

export const linger = () => {
  process.on('exit', loop)
  return { said: 'answered' }
}

export const breed = () => {
  const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'inherit' })
  return { said: String(pid) }
}

export const shout = () => ({ said: 'x'.repeat(70 << 20) })

export const announce = () => {
  process.stdout.write(String(process.pid))
  return wait()
}

export const announceAndLoop = () => {
  process.stdout.write(String(process.pid))
  loop()
}

export const abandon = () => {
  process.stdout.write(breed().said)
  process.exit(3)
}
