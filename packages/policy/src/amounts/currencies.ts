// Currencies as they are written beside amounts, and how many decimals each has (ISO 4217).

const codes = new Set(
  `AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLF CLP CNH CNY COP
  CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK
  JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD
  NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL
  THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UYW UZS VES VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWL USDC USDT`.split(
    /\s+/,
  ),
);

/** Codes that are also words: as a name they mean a currency only in capitals, beside a number they prove nothing. */
const words = new Set('ALL AMD COP CUP GEL LAK MAD MOP PEN PHP RON SOS STN TOP TRY'.split(' '));

const noDecimals = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '),
);
const threeDecimals = new Set('BHD IQD JOD KWD LYD OMR TND'.split(' '));
const fourDecimals = new Set(['CLF', 'UYW']);

/** Signs, abbreviations and names, in lower case, without the dot at their end. */
const marks = new Map(
  Object.entries({
    USD: '$ us$ usd$ $us щ.д dollar dollars buck bucks us',
    EUR: '€ euro euros eur',
    GBP: '£ gb£ £gb uk£ pound pounds sterling quid',
    JPY: '¥ jp¥ ¥jp yen 円 日圓 元',
    CNY: 'cn¥ ¥cn rmb yuan renminbi 人民币',
    INR: '₹ rs re rupee rupees rupien',
    CHF: 'fr sfr francs franken franc chf',
    SEK: 'kr kronor kronen kroner',
    CAD: 'c$ ca$ cad$ $ca',
    AUD: 'a$ au$ aud$ $au',
    NZD: 'nz$ $nz',
    HKD: 'hk$ $hk',
    SGD: 's$ sg$ $sg',
    TWD: 'nt$',
    BRL: 'r$ reais real',
    MXN: 'mx$ mex$ $mx pesos peso',
    PLN: 'zł zloty złoty złotych',
    CZK: 'kč korun',
    HUF: 'ft forint',
    BGN: 'лв лева',
    RON: 'lei leu',
    RUB: '₽ руб р рублей rubles',
    UAH: '₴ грн',
    TRY: '₺ tl lira',
    ILS: '₪',
    KRW: '₩ won 원',
    VND: '₫ đ',
    THB: '฿ บาท baht',
    IDR: 'rp',
    MYR: 'rm',
    PHP: '₱',
    ZAR: 'r rand',
    NGN: '₦ naira',
    KZT: '₸',
    GEL: '₾',
    CRC: '₡',
    PYG: '₲',
    RSD: 'din дин',
    BAM: 'km',
    EGP: 'ج.م ج.م. £e',
    AED: 'د.إ dh dhs dirham dirhams',
    SAR: 'ر.س sr riyal',
    MAD: 'د.م',
    IRR: 'ریال ﷼',
    KWD: 'د.ك kd',
    TND: 'د.ت dt',
    BHD: 'د.ب bd',
    JOD: 'د.أ jd',
    IQD: 'د.ع',
    LYD: 'د.ل',
    OMR: 'ر.ع',
    XOF: 'fcfa cfa f',
  }).flatMap(([code, spellings]) => spellings.split(' ').map((mark) => [mark, code] as const)),
);

/** The currency that a text names by code, sign or word; undefined when it names none. */
export function findCurrency(text: string): string | undefined {
  const mark = text.trim().toLowerCase().replace(/\.$/, '');
  const code = mark.toUpperCase();
  if (codes.has(code)) return code;
  return marks.get(mark) ?? (/^\p{Sc}$/u.test(mark) ? mark : undefined);
}

/** Whether a name, such as `eur` or `EUR` of a member, can only mean a currency. */
export function isCurrencyCode(name: string): boolean {
  const code = name.toUpperCase();
  return codes.has(code) && (name === code || !words.has(code));
}

/** Whether a text says by a sign or a code that it is about money, whatever its place: `€`, `EUR`. */
export function hasCurrency(text: string): boolean {
  if (/\p{Sc}/u.test(text)) return true;
  return (text.match(/(?<!\p{L})[A-Z]{3}(?!\p{L})/gu) ?? []).some(
    (code) => codes.has(code) && !words.has(code),
  );
}

/** Decimal places of a currency's smallest unit; null for an unknown currency. */
export function getCurrencyDecimals(currency: string | null): number | null {
  if (currency === null || !codes.has(currency)) return null;
  if (noDecimals.has(currency)) return 0;
  if (threeDecimals.has(currency)) return 3;
  return fourDecimals.has(currency) ? 4 : 2;
}
