import 'reflect-metadata';
import { runService } from '@millrace/nest-kit';
import { orchestrator } from './orchestrator.service.js';

await runService(orchestrator, process.env);
