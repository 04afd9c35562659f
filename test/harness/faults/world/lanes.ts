/** Works jobs off in as many lanes as there are, each lane one job at a time, until they say that it is enough. */
export async function inLanes<Lane, Job>(
  lanes: readonly Lane[],
  jobs: Iterable<Job>,
  work: (lane: Lane, job: Job) => Promise<'more' | 'enough'>,
): Promise<void> {
  const rest = jobs[Symbol.iterator]()
  let isEnough = false
  await Promise.all(
    lanes.map(async (lane) => {
      for (let job = rest.next(); job.done !== true && !isEnough; job = rest.next()) {
        isEnough ||= (await work(lane, job.value)) === 'enough'
      }
    }),
  )
}
