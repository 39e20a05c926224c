import 'reflect-metadata';
import { runService } from '@millrace/nest-kit';
import { streamGateway } from './stream-gateway.service.js';

await runService(streamGateway, process.env);
