/** Windows name of a timezone, without "Standard Time" → an equivalent IANA zone (Unicode CLDR, windowsZones). */
export const WINDOWS_ZONES: ReadonlyMap<string, string> = new Map(
  [
    'GMT=Europe/London, Greenwich=Atlantic/Reykjavik, W. Europe=Europe/Berlin, Central Europe=Europe/Budapest',
    'Romance=Europe/Paris, Central European=Europe/Warsaw, GTB=Europe/Bucharest, E. Europe=Europe/Chisinau',
    'FLE=Europe/Helsinki, Kaliningrad=Europe/Kaliningrad, Belarus=Europe/Minsk, Russian=Europe/Moscow',
    'Turkey=Europe/Istanbul, Israel=Asia/Jerusalem, Jordan=Asia/Amman, Middle East=Asia/Beirut',
    'Egypt=Africa/Cairo, South Africa=Africa/Johannesburg, E. Africa=Africa/Nairobi, Morocco=Africa/Casablanca',
    'W. Central Africa=Africa/Lagos, Arabic=Asia/Baghdad, Arab=Asia/Riyadh, Iran=Asia/Tehran, Arabian=Asia/Dubai',
    'Azerbaijan=Asia/Baku, Georgian=Asia/Tbilisi, Caucasus=Asia/Yerevan, Afghanistan=Asia/Kabul',
    'West Asia=Asia/Tashkent, Pakistan=Asia/Karachi, India=Asia/Kolkata, Sri Lanka=Asia/Colombo, Nepal=Asia/Kathmandu',
    'Central Asia=Asia/Almaty, Bangladesh=Asia/Dhaka, Myanmar=Asia/Yangon, SE Asia=Asia/Bangkok, China=Asia/Shanghai',
    'Singapore=Asia/Singapore, W. Australia=Australia/Perth, Taipei=Asia/Taipei, Tokyo=Asia/Tokyo, Korea=Asia/Seoul',
    'Cen. Australia=Australia/Adelaide, AUS Central=Australia/Darwin, E. Australia=Australia/Brisbane',
    'AUS Eastern=Australia/Sydney, Tasmania=Australia/Hobart, New Zealand=Pacific/Auckland, Fiji=Pacific/Fiji',
    'Azores=Atlantic/Azores, Cape Verde=Atlantic/Cape_Verde, E. South America=America/Sao_Paulo',
    'Argentina=America/Argentina/Buenos_Aires, SA Eastern=America/Cayenne, Greenland=America/Godthab',
    'Montevideo=America/Montevideo, Newfoundland=America/St_Johns, Atlantic=America/Halifax',
    'Venezuela=America/Caracas, SA Western=America/La_Paz, Pacific SA=America/Santiago, SA Pacific=America/Bogota',
    'Eastern=America/New_York, Central America=America/Guatemala, Central=America/Chicago, Mountain=America/Denver',
    'Canada Central=America/Regina, US Mountain=America/Phoenix, Pacific=America/Los_Angeles',
    'Alaskan=America/Anchorage, Hawaiian=Pacific/Honolulu',
  ]
    .join(', ')
    .split(', ')
    .map((row) => {
      const [name = '', zone = ''] = row.split('=');
      return [name.toLowerCase(), zone];
    }),
);
