// The worker thread of large exports: reads one at a time, without keys and database.
import { answerRequests } from '../../platform/threads/answer-requests.ts';
import { type ExportBody, readExport } from './export-reader.ts';

answerRequests<ExportBody>(readExport);
