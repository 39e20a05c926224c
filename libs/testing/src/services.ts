export { type SpecPostgres, startSpecPostgres } from './services/spec-postgres.js';
export {
  NATS_WITH_USERS,
  SECRET,
  SpecServers,
  type SpecServersOptions,
  TICKET_SECRET,
} from './services/spec-servers.js';
