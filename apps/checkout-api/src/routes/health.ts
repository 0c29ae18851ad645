import { Hono } from 'hono'
import type { Database } from '../database/database.ts'

/** `GET /health`: 200 when the database answers, else the 503 that every route gives. */
export function healthRoutes(database: Database): Hono {
  return new Hono().get('/health', async context => {
    await database.query('SELECT 1')
    return context.json({ status: 'ok', database: database.engine })
  })
}
