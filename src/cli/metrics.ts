/** Prints docs/metrics.md. Importing the application declares every metric; nothing is started. */
import '../app.module.js';
import { metricsPage } from '../telemetry/metrics-page.js';

process.stdout.write(await metricsPage());
