/** The shop's shelf: stationery and tea. Two catalogue pages, so that a second page can fail. */
export const PRODUCTS = [
  {
    id: 'prd_hanji_notebook',
    name: { en: 'Hanji notebook', ko: '한지 노트' },
    description: {
      en: 'Mulberry paper, thread-bound, 96 pages that take a fountain pen well.',
      ko: '닥나무 한지를 실로 엮은 96쪽 노트. 만년필 잉크가 번지지 않아요.',
    },
    price: 14_000,
    tile: { emoji: '📓', from: '#f4e3c1', to: '#d9a95b' },
  },
  {
    id: 'prd_ujeon_green_tea',
    name: { en: 'Ujeon green tea', ko: '우전 녹차' },
    description: {
      en: 'First leaves from Hadong, picked before the April rain. 40 g.',
      ko: '곡우 전에 딴 하동의 첫 잎. 40g.',
    },
    price: 38_000,
    tile: { emoji: '🍵', from: '#dcecc7', to: '#7fa650' },
  },
  {
    id: 'prd_brass_pen',
    name: { en: 'Brass pen', ko: '황동 펜' },
    description: {
      en: 'A solid pen that darkens with the hand that holds it.',
      ko: '쓸수록 손때가 깊어지는 묵직한 황동 펜.',
    },
    price: 42_000,
    tile: { emoji: '🖋️', from: '#f7e7b2', to: '#b98a2e' },
  },
  {
    id: 'prd_celadon_cup',
    name: { en: 'Celadon cup', ko: '청자 찻잔' },
    description: {
      en: 'Jade-green glaze with a fine crackle. Holds 120 ml.',
      ko: '잔잔한 빙렬이 있는 비색 찻잔. 120ml.',
    },
    price: 29_000,
    tile: { emoji: '🍶', from: '#d5e8e0', to: '#6fa395' },
  },
  {
    id: 'prd_pine_soot_ink',
    name: { en: 'Pine soot ink', ko: '송연 먹물' },
    description: {
      en: 'Warm black for brush and dip pen. 50 ml.',
      ko: '붓과 딥펜에 쓰는 따뜻한 검정. 50ml.',
    },
    price: 18_000,
    tile: { emoji: '🫙', from: '#cfd3dc', to: '#3d4252' },
  },
  {
    id: 'prd_roasted_barley_tea',
    name: { en: 'Roasted barley tea', ko: '볶은 보리차' },
    description: {
      en: 'Twenty bags, good cold, good late at night.',
      ko: '차게 마셔도, 늦은 밤에 마셔도 좋은 스무 봉.',
    },
    price: 7_500,
    tile: { emoji: '🌾', from: '#f6e2bd', to: '#c08a3e' },
  },
  {
    id: 'prd_letter_set',
    name: { en: 'Letter set, plum blossom', ko: '매화 편지지 세트' },
    description: {
      en: 'Twelve sheets and six envelopes for what a message cannot say.',
      ko: '문자로는 못다 할 말을 위한 편지지 열두 장과 봉투 여섯 장.',
    },
    price: 11_000,
    tile: { emoji: '💌', from: '#fbdde2', to: '#d87a8f' },
  },
  {
    id: 'prd_omija_tea',
    name: { en: 'Omija tea', ko: '오미자차' },
    description: {
      en: 'Five tastes in one red cup: sour, sweet, bitter, salty, hot.',
      ko: '신맛, 단맛, 쓴맛, 짠맛, 매운맛이 한 잔에.',
    },
    price: 16_000,
    tile: { emoji: '🍒', from: '#f9d5d0', to: '#c0453f' },
  },
  {
    id: 'prd_bamboo_ruler',
    name: { en: 'Bamboo ruler', ko: '대나무 자' },
    description: {
      en: 'Thirty centimetres from Damyang, marked on both edges.',
      ko: '양쪽에 눈금을 새긴 담양 대나무 자. 30cm.',
    },
    price: 9_000,
    tile: { emoji: '🎋', from: '#e4efc9', to: '#8aa83f' },
  },
  {
    id: 'prd_bojagi_wrap',
    name: { en: 'Bojagi wrapping cloth', ko: '조각보' },
    description: {
      en: 'Patchwork ramie, for gifts that should not be torn open.',
      ko: '뜯지 않고 풀어 여는 선물을 위한 모시 조각보.',
    },
    price: 33_000,
    tile: { emoji: '🎁', from: '#e6dcf5', to: '#8d6cc0' },
  },
  {
    id: 'prd_chrysanthemum_tea',
    name: { en: 'Chrysanthemum tea', ko: '국화차' },
    description: {
      en: 'Whole flowers that open again in hot water. 15 g.',
      ko: '더운물에서 다시 피는 통꽃차. 15g.',
    },
    price: 21_000,
    tile: { emoji: '🌼', from: '#fff0bf', to: '#e0a526' },
  },
  {
    id: 'prd_stone_seal',
    name: { en: 'Name seal', ko: '이름 도장' },
    description: {
      en: 'Soapstone, cut by hand with up to four syllables.',
      ko: '네 글자까지 손으로 새기는 돌도장.',
    },
    price: 48_000,
    tile: { emoji: '🔏', from: '#f3d8cc', to: '#b5533c' },
  },
] as const
