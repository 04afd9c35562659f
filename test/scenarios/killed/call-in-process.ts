import type { Likeness } from '../face.ts'
import { app } from '../faces/app.ts'
import { library } from '../faces/library.ts'
import { createPerson } from '../person.ts'
import type { Place } from '../place.ts'
import type { Scenario } from '../scenario.ts'

/** What is run, as one argument of this program. */
export interface RunInProcess {
  readonly face: 'library' | 'app'
  readonly like: Likeness
  readonly place: Pick<Place, 'top' | 'root' | 'stateDir'>
  readonly scenario: Scenario
}

// A program of its own, so that it can be killed: it makes the calls of a scenario through a face that is not one.
const { face, like, place, scenario } = JSON.parse(process.argv[2] ?? '') as RunInProcess
const faces = { library, app }
const person = createPerson([], () => undefined)
const whole = { ...place, env: process.env, put: () => undefined, files: () => ({}), remove: () => undefined }
const open = await faces[face].open(whole, scenario)
for (const step of scenario.steps) {
  if (step.do !== 'calls') continue
  const batches = like.hasBatches ? [step.calls] : step.calls.map((one) => [one])
  for (const batch of batches) await open.run(batch, { person, cancel: null, like })
}
await open.close()
