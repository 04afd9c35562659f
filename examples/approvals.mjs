// Approvals in a program: one runtime answers at once, another leaves its question for later.
//
//   npm run build && node examples/approvals.mjs
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from 'tongs'

const top = mkdtempSync(join(tmpdir(), 'tongs-example-'))
const place = { root: mkdtempSync(join(top, 'root-')), stateDir: join(top, 'state') }
const write = (path) => ({ id: path, name: 'write_file', args: { path, content: 'hello\n' } })
const remove = (path) => ({ id: `no ${path}`, name: 'delete_path', args: { path } })

// All questions of a batch come at once, before anything of it runs.
const runtime = await createRuntime({ ...place, approve: (requests) => requests.map(answer) })
for (const result of await runtime.run([write('a.txt'), remove('a.txt')])) show(result)
await runtime.close()

// No one is available: the batch waits in the journal until another process opens this root and answers.
const asking = await createRuntime({ ...place, approve: 'later' })
for (const result of await asking.run([write('b.txt')])) show(result)
await asking.close()

const answering = await createRuntime(place)
const ids = (await answering.pending()).map(({ id }) => id)
const { results } = await answering.decide(ids, { isApproved: true })
for (const result of results) show(result)
await answering.close()
console.log('in the folder:', readdirSync(place.root).join(', '))
rmSync(top, { recursive: true })

function answer({ call, summary, risk, why }) {
  console.log(`May this run? ${summary}. ${risk} risk; ${why}.`)
  return call.name === 'delete_path' ? { answer: 'deny', say: 'nothing is deleted here' } : 'once'
}

function show(result) {
  console.log(result.name, result.ok ? 'ok' : `${result.error.code}: ${result.error.message}`)
}
