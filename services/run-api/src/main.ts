import 'reflect-metadata';
import { runService } from '@millrace/nest-kit';
import { runApi } from './run-api.service.js';

await runService(runApi, process.env);
