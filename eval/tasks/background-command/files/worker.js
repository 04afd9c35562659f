import { createQueue } from './queue.js'
import { jobs } from './jobs.js'

const queue = createQueue(3)
let next = 0

function step() {
  if (next < jobs.length) queue.add(jobs[next++])
  const job = queue.take()
  console.log(job === undefined ? 'nothing to do' : `${job.name}: ${job.run()}`)
}

console.log('worker started')
step()
setInterval(step, Number(process.env.STEP_MS ?? 1000))
