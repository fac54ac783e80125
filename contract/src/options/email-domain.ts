/** The pattern of an email domain, for the settings page and for the option that stores such domains. */

const DOMAIN = /^(?!-)[a-z0-9-]+(?<!-)(\.(?!-)[a-z0-9-]+(?<!-))+$/;

/** Whether a text in small letters is a domain with at least two parts, such as `example.org`. */
export const isEmailDomain = (text: string): boolean => DOMAIN.test(text);
