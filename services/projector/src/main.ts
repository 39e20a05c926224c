import 'reflect-metadata';
import { runService } from '@millrace/nest-kit';
import { projector } from './projector.service.js';

await runService(projector, process.env);
