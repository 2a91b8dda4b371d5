/** Uses an installed tillgate-client: it prints the status of a refund. */
import { Tillgate } from 'tillgate-client';

const [, , baseUrl, key, refund] = process.argv;
const { status } = await new Tillgate({ baseUrl, key }).refunds.retrieve(refund);
console.log(status);
