/** The endpoint ID of a delivery to a notify_url, which has no endpoint. */
export const NO_ENDPOINT = '00000000-0000-0000-0000-000000000000';
