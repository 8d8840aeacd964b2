// Labels of personal data: words before a value in prose and JSON text, and keys of objects.

/** The classes of labels. The name of a class is one of its labels, so that `class: value` is a labelled text. */
export const labels = {
  ssn: [
    'ssn|sin|tfn|nino|bsn|nif|nie|dni|nir|cpf|curp|rfc|pesel|cnp|egn|jmbg|emso|emšo|oib|aadhaar|hkid|nric|cnic|tckn|amka|hetu|inn|cedula|cédula|ppsn?|rut|cuit|cuil|insz|niss',
    '(?:national|social)[ _-]?(?:security|insurance|id(?:entity|entification)?)|(?:personal|citizen|resident|identity|identification)[ _-]?(?:id|identity|identification|code|card|number|no)|tax(?:payer)?[ _-]?(?:id(?:entification)?|file|number|no)|id[ _-]?card',
    'steuer-?id(?:nr|entifikationsnummer)?|sozialversicherungsnummer|burgerservicenummer|rijksregisternummer|numéro de sécurité sociale|codice fiscale|personnummer|fødselsnummer|cpr|isikukood|asmens kodas|rodné číslo|kennitala|teudat zehut',
  ].join('|'),
  phone:
    'tele(?:phone|fon|fono)|t[eé]l[eé]phone|phone|mobile|cell(?:ular|phone)?|fax|whatsapp|telefax|handy|rufnummer|telefon(?:nummer)?|tel[eé]fono|telefone|m[oó]vil|celular|portable|tel|mob',
  dob: 'date[ _-]?of[ _-]?birth|birth[ _-]?(?:date|day)|birth|born|d\\.?o\\.?b|geburtsdatum|geboren|date de naissance|née?|fecha de nacimiento|data di nascita|data de nascimento|geboortedatum|data urodzenia',
  password:
    'pass(?:word|wd|phrase|code)|pwd|secret(?:[ _-]?(?:access[ _-]?)?key)?|(?:api|access|private|auth|client|signing|encryption)[ _-]?(?:key|token|secret)|token|credentials?|passwort|mot de passe|contraseña',
} as const;

export type LabelClass = keyof typeof labels;

/** The separators between a label and its value: a word such as "number", punctuation, "is". */
const separator =
  '(?:[ _-]?(?:numbers?|nummer|num|nr|no|code|id)(?![\\p{L}\\p{N}]))?[^\\p{L}\\p{N}]{0,8}?(?:(?:is|was|are|on|at|ist|est|es)[^\\p{L}\\p{N}]{1,4}?)?';

/** The start of a label: not inside a word, and not in a marker. */
const start = '(?<![\\p{L}\\p{N}])(?!(?:SECRET|NATIONAL_ID|PHONE|DATE_OF_BIRTH|BIRTH)\\])';

/** A pattern of labelled values for `createCandidates`; `value` is the source of a pattern of bounded length. */
export function createLabelPattern(labelClass: LabelClass, value: string): RegExp {
  return new RegExp(`${start}(?:${labels[labelClass]})s?${separator}(?=(?<found>${value}))`, 'giu');
}

const keyPatterns = Object.entries(labels).map(
  ([name, words]) =>
    [name as LabelClass, new RegExp(`${start}(?:${words})s?(?![\\p{L}\\p{N}])`, 'iu')] as const,
);

/** The class of a key, such as `phone` for `homePhone` or `phone_numbers`; null when it is not a label. */
export function findLabel(key: string): LabelClass | null {
  const words = key.replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2').replace(/[_\d]+/g, ' ');
  return keyPatterns.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}
