// The memory that models take, as the statistics report it.

import { slow, solid, textToImage } from '../../generate/graphs.ts'
import { proves } from '../../judge/proves.ts'
import { expect } from '../../judge/expect.ts'

proves('system/memory-of-models', async ({ connect, get, post, reach, run, submit, idle }) => {
  const session = await connect('me')
  const free = async (): Promise<{ ram: number; vram: number }> => {
    const { system, devices } = (await get('/system_stats')).json()
    return { ram: system.ram_free, vram: devices[0].vram_free }
  }
  await post('/free', { unload_models: true, free_memory: true })
  const before = await free()
  await run(session, solid())
  expect(await free()).toEqual(before)
  await run(session, textToImage())
  const held = await free()
  expect(held.ram).toBeLessThan(before.ram)
  expect(held.vram).toBeLessThan(before.vram)
  // Loading the same models again takes no memory, and they stay after the run.
  await run(session, textToImage(2))
  expect(await free()).toEqual(held)
  await post('/free', { unload_models: false, free_memory: true })
  expect(await free()).toEqual(held)
  await post('/free', { unload_models: true })
  expect(await free()).toEqual(before)
  // They stay while a run needs them, and are freed when it ends.
  await submit({ ...textToImage(3), slow: slow()['1']! }, { client_id: 'me' })
  await reach(session, ({ type, data }) => type === 'progress' && data['node'] === 'slow')
  await post('/free', { free_memory: true })
  expect(await free()).toEqual(held)
  await idle()
  expect(await free()).toEqual(before)
})
