import { expect, test } from 'vitest';
import { toAsciiName, writeDisposition } from '../../../src/sandbox/answers/file-names.js';

test.each([
  ['Ingrid Åshild Lang-Østensen', 'Ingrid_Ashild_Lang-Ostensen'],
  ['Weiß', 'Weiss'],
  ['Ærø æ Œuvre', 'AEro_ae_OEuvre'],
  ['Łukasz Żółć', 'Lukasz_Zolc'],
  ['Đorđe', 'Dorde'],
  ['Þórður Ðe', 'Thordur_De'],
  ['Nguyễn Thị Ngọc Ánh', 'Nguyen_Thi_Ngoc_Anh'],
  ['İpek Işık', 'Ipek_Isik'],
  ['Zoe\u0308 A\u030ase', 'Zoe_Ase'],
  ['Siobhán O’Brien', 'Siobhan_OBrien'],
  ['Anna – PhD', 'Anna_-_PhD'],
  ['Dr. C++ / "Bo"', 'Dr._C_Bo'],
  ['Юлія Щербань', 'Yuliya_Shcherban'],
  ['Андрей Ёлкин', 'Andrei_Elkin'],
  ['Γιώργος Παπαδόπουλος', 'Giorgos_Papadopoulos'],
  ['Ευαγγελία', 'Evangelia'],
  ['../..', undefined],
  ['', undefined],
  ['李明', undefined],
  ['李明 (Ming Li)', undefined],
  ['آنا أوسن', undefined],
  ['김민준', undefined],
])('the name %j is %j in ASCII', (name, ascii) => {
  expect(toAsciiName(name)).toBe(ascii);
});

test.each([
  ['cv.pdf', 'attachment; filename="cv.pdf"'],
  ['Årsrapport 2024.pdf', `attachment; filename="Arsrapport_2024.pdf"; filename*=UTF-8''%C3%85rsrapport%202024.pdf`],
  ['李明.pdf', `attachment; filename="cv-7.pdf"; filename*=UTF-8''%E6%9D%8E%E6%98%8E.pdf`],
  ["Plan (final)'s*.pdf", `attachment; filename="Plan_final_s.pdf"; filename*=UTF-8''Plan%20%28final%29%27s_.pdf`],
  ['a"\r\nx-evil: 1/\u202e\ud800é', `attachment; filename="a_x-evil_1_e"; filename*=UTF-8''a_%20x-evil_%201_%C3%A9`],
])('a file %j is sent under its name', (name, header) => {
  expect(writeDisposition(name, 'cv-7')).toBe(header);
});
