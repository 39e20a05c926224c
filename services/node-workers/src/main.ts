import 'reflect-metadata';
import { runService } from '@millrace/nest-kit';
import { nodeWorkers } from './node-workers.service.js';

await runService(nodeWorkers, process.env);
